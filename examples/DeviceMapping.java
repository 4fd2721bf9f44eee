/*
 * Prints each rank's device: ranks on a machine use the devices in turn, and share devices if there are more ranks.
 *
 * The counterpart of "GPU Device Selection Strategies" in "MPI + GPU": one rank per GPU, more ranks than GPUs,
 * several machines. No setting is needed. TUTTI_DEVICE=opencl requires an OpenCL device, TUTTI_DEVICE=host excludes
 * all devices.
 *
 *     ./tutti run -n 2 examples/DeviceMapping.java
 *
 *     rank 0 of 2: …, shared by … ranks
 *     rank 1 of 2: …, shared by … ranks
 */

import org.tutti.device.*;
import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        IO.println("rank %d of %d: %s, shared by %d ranks".formatted(world.rank(), world.size(), device, device.ranks()));
    }
}
