import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Computes π as the integral of 4 / (1 + x²) from 0 to 1. Each rank adds up a part of the intervals.
public class Main {
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            double pi = pi(world, 1_000_000);
            if (world.rank() == 0) System.out.printf("pi is %.8f, computed by %d ranks%n", pi, world.size());
        }
    }

    static double pi(Comm world, int intervals) {
        double sum = 0;
        for (int i = world.rank(); i < intervals; i += world.size()) {
            double x = (i + 0.5) / intervals;
            sum += 4 / (1 + x * x) / intervals;
        }
        return world.allreduce(sum, Op.SUM);
    }
}
