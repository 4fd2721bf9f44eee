package lanes;

import jdk.incubator.vector.IntVector;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Spawns ranks that use a class of the incubator module.
public final class Lanes {
    private Lanes() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Tutti.spawn(2, Lanes.class, "rank");
            return;
        }
        try (Mpi mpi = Mpi.init()) {
            int lanes = mpi.world().allreduce(IntVector.SPECIES_128.length(), Op.SUM);
            if (mpi.world().rank() == 0) System.out.println(lanes + " lanes");
        }
    }
}
