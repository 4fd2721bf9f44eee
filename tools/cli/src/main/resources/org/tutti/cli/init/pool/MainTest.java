import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.tutti.futures.RankPool;

class MainTest {
    @Test
    void countsPrimes() {
        try (RankPool pool = RankPool.threads(3)) { // workers are threads of this process
            assertEquals(1229, Main.primes(pool, 1));
            assertEquals(9592, Main.primes(pool, 10));
        }
    }
}
