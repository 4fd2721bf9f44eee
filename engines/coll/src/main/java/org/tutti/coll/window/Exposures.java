package org.tutti.coll.window;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// General active target synchronization (MPI 4.1, section 12.5.2). A post increments the origin's counter for
/// the target; a complete increments the target's counter for the origin.
public final class Exposures {
    /// The counters: each rank stores a counter of posts and a counter of completes for every rank. `completes`
    /// selects the counter of completes.
    public interface Counts {
        /// Increments the counter that `rank` stores for this rank.
        void increment(int rank, boolean completes);

        /// Returns the counter that this rank stores for `rank`.
        long value(int rank, boolean completes);
    }

    private final CommPort port;
    private final Counts counts;

    /// For each target, the number of posts for which [#start] has waited. `awaited` contains, for each origin,
    /// the number of completes for which [#await] and [#test] have waited.
    private final long[] started;

    private final long[] awaited;

    public Exposures(CommPort port, Counts counts) {
        this.port = port;
        this.counts = counts;
        started = new long[port.size()];
        awaited = new long[port.size()];
    }

    public void post(int[] origins) {
        for (int r : origins) counts.increment(r, false);
    }

    public void complete(int[] targets) {
        for (int r : targets) counts.increment(r, true);
    }

    public @Nullable LocalWait start(int[] targets) {
        CounterWait wait = new CounterWait("start", "post", targets, false, started);
        return wait.isOver() ? null : wait;
    }

    public @Nullable LocalWait await(int[] origins) {
        CounterWait wait = completes(origins);
        return wait.isOver() ? null : wait;
    }

    public boolean test(int[] origins) {
        return completes(origins).isOver();
    }

    private CounterWait completes(int[] origins) {
        return new CounterWait("await", "complete", origins, true, awaited);
    }

    /// A wait until each of `ranks` has called `post` or `complete` once more.
    private final class CounterWait extends WindowWait {
        private final String word;
        private final int[] ranks;
        private final boolean completes;
        private final long[] seen;

        CounterWait(String operation, String word, int[] ranks, boolean completes, long[] seen) {
            super(operation);
            this.word = word;
            this.ranks = ranks;
            this.completes = completes;
            this.seen = seen;
        }

        private boolean isMissing(int rank) {
            return counts.value(rank, completes) <= seen[rank];
        }

        private int[] missing() {
            return Arrays.stream(ranks).filter(this::isMissing).toArray();
        }

        @Override
        public String what() {
            return operation() + " on " + port.name() + ", for " + word + " of " + WindowRanks.named(missing());
        }

        @Override
        protected boolean checkOver() {
            for (int r : ranks) if (isMissing(r)) return false;
            for (int r : ranks) seen[r]++;
            return true;
        }

        @Override
        public int[] awaited() {
            return missing();
        }

        @Override
        public CommPort port() {
            return port;
        }
    }
}
