/*
 * Sends a large table to each worker once, and runs queries on it.
 *
 *     ./tutti run -n 3 --pool examples/FuturesTable.java
 *
 *     the sum of 10000 entries is 4999500000
 */

import java.util.stream.IntStream;
import org.tutti.futures.*;

void main() {
    RankPool.run(pool -> {
        double[] squares = new double[1_000_000];
        for (int i = 0; i < squares.length; i++) squares[i] = (double) i * 100;
        try (SharedValue<double[]> table = pool.share(squares)) {
            double sum = pool.map(q -> table.get()[q], IntStream.range(0, 10_000)).stream()
                    .mapToDouble(x -> x)
                    .sum();
            IO.println("the sum of 10000 entries is %.0f".formatted(sum));
        }
    });
}
