/*
 * Measures the latency of messages between the devices of two ranks, compared with messages between Java arrays.
 *
 * The counterpart of the common ping-pong benchmark of a GPU-aware MPI. The difference is the cost of the copies
 * from and to the device, if messages go through the host.
 *
 *     ./tutti run -n 2 examples/DevicePingPong.java
 *
 *     8 bytes: arrays … µs one way, devices … µs
 *     1048576 bytes: arrays … µs one way, devices … µs
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.device.*;
import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        if (world.size() != 2) throw new IllegalArgumentException("this takes 2 ranks: tutti run -n 2 …");
        for (int bytes : new int[] {8, 1 << 20}) {
            int times = bytes == 8 ? 2000 : 100;
            double arrays = micros(world, buf(new byte[bytes]), buf(new byte[bytes]), times);
            DeviceBuffer out = device.zeros(Datatype.BYTE, bytes), in = device.zeros(Datatype.BYTE, bytes);
            double devices = micros(world, buf(out), buf(in), times);
            if (world.rank() == 0) {
                IO.println("%d bytes: arrays %.2f µs one way, devices %.2f µs".formatted(bytes, arrays, devices));
            }
        }
    }
}

/** Returns the one-way time in µs, measured after a warm-up. */
static double micros(Comm world, Buf out, Buf in, int times) {
    int other = 1 - world.rank();
    double start = 0;
    for (int i = -times; i < times; i++) {
        if (i == 0) start = Mpi.wtime();
        if (world.rank() == 0) world.send(out, other);
        world.recv(in, other);
        if (world.rank() == 1) world.send(out, other);
    }
    return (Mpi.wtime() - start) / times / 2 * 1e6;
}
