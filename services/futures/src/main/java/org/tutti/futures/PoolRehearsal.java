package org.tutti.futures;

import java.util.List;
import java.util.stream.IntStream;

/// Runs typical operations of a pool once, while the launcher records the AOT cache with which later ranks
/// start faster. The leading rank and a worker run in this process, so that the cache contains the classes of
/// both.
final class PoolRehearsal {
    private PoolRehearsal() {}

    private record Square(int of) implements RankCallable<Integer> {
        @Override
        public Integer call() {
            return of * of;
        }
    }

    static void main() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            int k = 2;
            int sum = pool.submit(x -> k * x, 3).get()
                    + pool.submit(new Square(2)).get();
            for (int y : pool.map(x -> k * x, IntStream.range(0, 100))) sum += y;
            sum += pool.reduce(x -> x, List.of(1, 2, 3), (a, b) -> a + b);
            sum += pool.callOnAll((workers, x) -> workers.size() + x, 1).getFirst();
            IO.println("result of the pool: " + sum);
        }
    }
}
