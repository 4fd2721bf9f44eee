/*
 * Rank 0 sends numbers from its device, and rank 1 receives them on its device.
 *
 * The counterpart of "GPU-Aware MPI with CuPy" and "GPU-Aware MPI with CUDA Python" in "MPI + GPU". One program
 * covers the two cases: Tutti determines whether messages can be sent from device to device.
 *
 *     ./tutti run -n 2 examples/DeviceSendReceive.java
 *
 *     rank 1 received [0.0, 1.0, 2.0, 3.0, 4.0]
 *     and the mean of all is 499999.5
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final int N = 1_000_000;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        DeviceBuffer data = device.zeros(Datatype.DOUBLE, N);
        if (world.rank() == 0) {
            device.arrays().range(0, 1, data);
            world.send(buf(data), 1, 11);
        } else if (world.rank() == 1) {
            world.recv(buf(data), 0, 11);
            IO.println("rank 1 received " + Arrays.toString(data.slice(0, 5).toDoubles()));
            IO.println("and the mean of all is " + device.arrays().sum(data) / N);
        }
    }
}
