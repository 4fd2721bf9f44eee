package org.tutti.libmpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// General active target synchronisation (MPI 4.1, section 12.5.2). A post is one more in the origin's word for its
/// target, a complete one more in the target's word for its origin.
final class RemoteExposures {
    private final CommPort port;
    private final WindowWords words;

    /// How many posts of each target, and completes of each origin, were waited for.
    private final long[] started;

    private final long[] awaited;

    RemoteExposures(CommPort port, WindowWords words) {
        this.port = port;
        this.words = words;
        started = new long[port.size()];
        awaited = new long[port.size()];
    }

    void post(int[] origins) {
        for (int r : origins) words.add(r, WindowWords.posts(port.rank()), 1);
    }

    void complete(int[] targets) {
        for (int r : targets) words.add(r, WindowWords.completes(port.size(), port.rank()), 1);
    }

    @Nullable
    LocalWait start(int[] targets) {
        Told wait = new Told("start", "post", targets, 0, started);
        return wait.isOver() ? null : wait;
    }

    @Nullable
    LocalWait await(int[] origins) {
        Told wait = completes(origins);
        return wait.isOver() ? null : wait;
    }

    boolean test(int[] origins) {
        return completes(origins).isOver();
    }

    private Told completes(int[] origins) {
        return new Told("await", "complete", origins, port.size(), awaited);
    }

    /// The wait for all of `ranks`, each of which has one more to tell.
    private final class Told implements LocalWait {
        private final String operation;
        private final String word;
        private final int[] ranks;
        private final int first;
        private final long[] seen;

        /// How many of `ranks`, from the first on, have told.
        private volatile int told;

        Told(String operation, String word, int[] ranks, int first, long[] seen) {
            this.operation = operation;
            this.word = word;
            this.ranks = ranks;
            this.first = first;
            this.seen = seen;
        }

        @Override
        public String operation() {
            return operation;
        }

        @Override
        public String what() {
            int next = told;
            return operation + " on " + port.name() + ", for " + word
                    + (next == ranks.length ? "" : " of rank " + ranks[next]);
        }

        @Override
        public boolean isOver() {
            if (told < ranks.length && haveTold()) for (int r : ranks) seen[r]++;
            return told == ranks.length;
        }

        private boolean haveTold() {
            int next = told;
            while (next < ranks.length
                    && words.get(port.rank(), WindowWords.posts(first + ranks[next])) > seen[ranks[next]]) {
                next++;
            }
            told = next;
            return next == ranks.length;
        }

        @Override
        public boolean alsoEndsByMessages() {
            return true;
        }

        @Override
        public int @Nullable [] awaited() {
            int next = told;
            return next == ranks.length ? null : new int[] {port.worldRank(ranks[next])};
        }
    }
}
