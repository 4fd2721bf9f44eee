package org.tutti.futures;

/// The main class of ranks other than 0 under `tutti run --pool`.
final class PoolWorker {
    private PoolWorker() {}

    static void main() {
        RankPool.openOrServe().close(); // does not return on these ranks
    }
}
