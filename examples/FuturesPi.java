/*
 * π by the Monte Carlo method. Each of 1000 tasks has a separate random generator, so the result is bit-identical
 * on any number of ranks.
 *
 * The counterpart of mpi4py's demo cpi.py for futures, with darts instead of an integral, to show the purpose of a
 * seed.
 *
 *     ./tutti run -n 3 examples/FuturesPi.java
 *
 *     3.1414
 */

import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.tutti.futures.*;

record Shots(int n) implements RankCallable<Long> { // a record is a complete task
    public Long call() {
        RandomGenerator random = CurrentTask.random(); // of this task, the same on any rank
        return IntStream.range(0, n)
                .filter(_ -> Math.hypot(random.nextDouble(), random.nextDouble()) < 1)
                .count();
    }
}

void main() {
    RankPool.run(pool -> {
        List<Long> hits = pool.withSeed(42).unordered().callAll(Collections.nCopies(1000, new Shots(2000)));
        IO.println(4 * hits.stream().mapToLong(h -> h).sum() / 2e6);
    });
}
