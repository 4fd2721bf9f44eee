import org.tutti.mpi.Comm
import org.tutti.mpi.Mpi
import org.tutti.mpi.Op

/** Computes π as the integral of 4 / (1 + x²) from 0 to 1. Each rank adds up a part of the intervals. */
fun main() {
    Mpi.init().use { mpi ->
        val world = mpi.world()
        val pi = pi(world, 1_000_000)
        if (world.rank() == 0) println("pi is %.8f, computed by %d ranks".format(pi, world.size()))
    }
}

fun pi(world: Comm, intervals: Int): Double {
    var sum = 0.0
    for (i in world.rank() until intervals step world.size()) {
        val x = (i + 0.5) / intervals
        sum += 4 / (1 + x * x) / intervals
    }
    return world.allreduce(sum, Op.SUM)
}
