import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

public class SumOfRanks {
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            int sum = sumOfRanks(mpi.world());
            if (mpi.world().rank() == 0) System.out.println("the ranks of " + mpi.world().size() + " add up to " + sum);
        }
    }

    static int sumOfRanks(Comm world) {
        return world.allreduce(world.rank(), Op.SUM);
    }
}
