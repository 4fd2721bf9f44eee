import static org.junit.jupiter.api.Assertions.assertEquals;

import org.tutti.junit.RanksTest;
import org.tutti.mpi.Comm;

class SumOfRanksTest {
    @RanksTest(4)
    void sums(Comm world) {
        assertEquals(6, SumOfRanks.sumOfRanks(world));
    }

    @RanksTest(value = 4, processes = true)
    void sumsInProcesses(Comm world) {
        assertEquals(6, SumOfRanks.sumOfRanks(world));
    }
}
