import org.junit.jupiter.api.Assertions.assertEquals
import org.tutti.junit.RanksTest
import org.tutti.mpi.Comm

class MainTest {
    @RanksTest(1, 2, 4) // one run per number of ranks; ranks are threads
    fun everyRankHasTheSum(world: Comm) {
        assertEquals(Math.PI, pi(world, 100_000), 1e-9)
    }

    @RanksTest(2, processes = true)
    fun ranksMayBeProcesses(world: Comm) {
        assertEquals(Math.PI, pi(world, 100_000), 1e-9)
    }
}
