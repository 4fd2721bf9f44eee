package org.tutti.futures;

/// What ranks other than 0 run under `tutti run --pool`, in the place of the program's `main`.
final class PoolWorker {
    private PoolWorker() {}

    static void main() {
        RankPool.openOrServe().close(); // does not return on these ranks
    }
}
