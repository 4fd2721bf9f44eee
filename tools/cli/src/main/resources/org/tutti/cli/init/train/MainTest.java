import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.tutti.junit.RanksTest;
import org.tutti.mpi.Comm;

class MainTest {
    @RanksTest({1, 2, 3}) // one run per number of ranks; ranks are threads
    void everyRankLearnsTheSameWeights(Comm world) {
        assertArrayEquals(new double[] {1, 2, 3, 4}, Main.train(world), 1e-3);
    }

    @RanksTest(value = 2, processes = true)
    void ranksMayBeProcesses(Comm world) {
        assertArrayEquals(new double[] {1, 2, 3, 4}, Main.train(world), 1e-3);
    }
}
