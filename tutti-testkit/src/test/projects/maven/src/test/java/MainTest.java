import static org.junit.jupiter.api.Assertions.assertEquals;

import org.tutti.junit.RanksTest;
import org.tutti.mpi.Comm;

class MainTest {
    @RanksTest(4)
    void sums(Comm world) {
        assertEquals(6, Main.sumOfRanks(world));
    }

    @RanksTest(value = 4, processes = true)
    void sumsInProcesses(Comm world) {
        assertEquals(6, Main.sumOfRanks(world));
    }
}
