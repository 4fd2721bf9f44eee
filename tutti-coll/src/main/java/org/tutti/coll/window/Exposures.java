package org.tutti.coll.window;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.job.Words;
import org.tutti.spi.LocalWait;

/// General active target synchronisation (MPI 4.1, section 12.5.2). A post is one more in the origin's word for its
/// target, a complete one more in the target's word for its origin.
final class Exposures {
    private final WindowRanks window;
    private final Words memory;

    /// How many posts of each target, and completes of each origin, were waited for.
    private final long[] started;

    private final long[] awaited;

    Exposures(WindowRanks window) {
        this.window = window;
        memory = window.memory();
        started = new long[window.size()];
        awaited = new long[window.size()];
    }

    void post(int[] origins) {
        tell(origins, ControlBlock.posts(window.size(), window.me()));
    }

    void complete(int[] targets) {
        tell(targets, ControlBlock.completes(window.size(), window.me()));
    }

    private void tell(int[] ranks, long word) {
        for (int r : ranks) {
            memory.addLong(window.blocks()[r] + word, 1);
            window.ring(r);
        }
    }

    @Nullable
    LocalWait start(int[] targets) {
        Told wait = new Told("start", "post", targets, ControlBlock.posts(window.size(), 0), started);
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
        return new Told("await", "complete", origins, ControlBlock.completes(window.size(), 0), awaited);
    }

    /// The wait for all of `ranks`, each of which has one more to tell.
    private final class Told implements LocalWait {
        private final String operation;
        private final String word;
        private final int[] ranks;
        private final long words;
        private final long[] seen;
        private boolean isOver;

        Told(String operation, String word, int[] ranks, long words, long[] seen) {
            this.operation = operation;
            this.word = word;
            this.ranks = ranks;
            this.words = words;
            this.seen = seen;
        }

        private boolean isMissing(int rank) {
            long at = window.blocks()[window.me()] + words + (long) Long.BYTES * rank;
            return memory.getLongAcquire(at) <= seen[rank];
        }

        private int[] missing() {
            return Arrays.stream(ranks).filter(this::isMissing).toArray();
        }

        @Override
        public String operation() {
            return operation;
        }

        @Override
        public String what() {
            return operation + " on " + window.port().name() + ", for " + word + " of " + WindowRanks.named(missing());
        }

        @Override
        public boolean isOver() {
            if (isOver) return true;
            for (int r : ranks) if (isMissing(r)) return false;
            for (int r : ranks) seen[r]++;
            isOver = true;
            return true;
        }

        @Override
        public boolean alsoEndsByMessages() {
            return true;
        }

        @Override
        public int[] awaited() {
            return window.inWorld(missing());
        }
    }
}
