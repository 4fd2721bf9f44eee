/*
 * π from darts, each thousandth of them a task with random numbers of its own: the same bits on any number of ranks.
 *
 * The twin of mpi4py's demo cpi.py for futures, with darts instead of an integral, since darts show what a seed is for.
 *
 *     ./tutti run -n 3 examples/FuturesPi.java
 *
 *     3.1414
 */

import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.tutti.futures.*;

record Shots(int n) implements RankCallable<Long> { // a record is a task by itself
    public Long call() {
        RandomGenerator random = CurrentTask.random(); // the task's own, on whatever rank it runs
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
