import java.util.List;
import java.util.stream.IntStream;
import org.tutti.futures.RankPool;

/// Counts the prime numbers below a million. Rank 0 distributes ranges, the other ranks count.
public class Main {
    public static void main(String[] args) {
        RankPool.run(pool -> System.out.println("primes below 1000000: " + primes(pool, 100)));
    }

    /// Returns the number of primes in the first `ranges` ranges of 10,000 numbers each.
    static int primes(RankPool pool, int ranges) {
        List<Integer> starts = IntStream.range(0, ranges).map(i -> i * 10_000).boxed().toList();
        return pool.reduce(start -> count(start, start + 10_000), starts, Integer::sum);
    }

    static int count(int from, int to) {
        return (int) IntStream.range(from, to).filter(Main::isPrime).count();
    }

    static boolean isPrime(int n) {
        if (n < 2) return false;
        for (int d = 2; d * d <= n; d++) if (n % d == 0) return false;
        return true;
    }
}
