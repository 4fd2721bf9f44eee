import static org.junit.jupiter.api.Assertions.assertEquals;

import org.tutti.junit.RanksTest;
import org.tutti.mpi.Comm;

class MainTest {
    @RanksTest({1, 2, 4}) // one run per number of ranks; ranks are threads
    void everyRankHasTheSum(Comm world) {
        assertEquals(Math.PI, Main.pi(world, 100_000), 1e-9);
    }

    @RanksTest(value = 2, processes = true)
    void ranksMayBeProcesses(Comm world) {
        assertEquals(Math.PI, Main.pi(world, 100_000), 1e-9);
    }
}
