/*
 * π as an integral, divided into strips that the ranks add up. The result is bit-identical on any number of ranks.
 *
 * The counterpart of mpi4py's demo cpi.py, with a reduction instead of a list of futures.
 *
 *     ./tutti run -n 3 --pool examples/FuturesCpi.java
 *
 *     3.141592653589
 */

import java.util.stream.IntStream;
import org.tutti.futures.*;

static double strip(int k, int strips, int steps) {
    double width = 1.0 / strips / steps, sum = 0;
    for (int i = 0; i < steps; i++) {
        double x = (double) k / strips + (i + 0.5) * width;
        sum += 4 / (1 + x * x) * width;
    }
    return sum;
}

void main() {
    int strips = 1000, steps = 2000;
    RankPool.run(pool -> {
        double pi = pool.reduce(k -> strip(k, strips, steps), IntStream.range(0, strips).boxed(), (a, b) -> a + b);
        IO.println("%.12f".formatted(Math.floor(pi * 1e12) / 1e12));
    });
}
