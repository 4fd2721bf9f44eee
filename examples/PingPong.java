/*
 * Measures the latency of send and recv between two ranks, with arrays.
 *
 * ./tutti bench latency measures the same. A warm-up lets the JVM compile the code before the measurement.
 *
 *     ./tutti run -n 2 examples/PingPong.java
 *
 *     8 bytes: … µs one way
 *     65536 bytes: … µs one way
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        if (world.size() != 2) throw new IllegalArgumentException("this takes 2 ranks: tutti run -n 2 …");
        for (int bytes : new int[] {8, 65_536}) {
            byte[] out = new byte[bytes], in = new byte[bytes];
            int times = bytes == 8 ? 100_000 : 2_000;
            for (int i = 0; i < 20; i++) pingPong(world, out, in, times / 5); // compiled, and warm
            double start = Mpi.wtime();
            pingPong(world, out, in, times);
            double micros = (Mpi.wtime() - start) / times / 2 * 1e6;
            if (world.rank() == 0) IO.println("%d bytes: %.2f µs one way".formatted(bytes, micros));
        }
    }
}

void pingPong(Comm world, byte[] out, byte[] in, int times) {
    for (int i = 0; i < times; i++) {
        if (world.rank() == 0) {
            world.send(buf(out), 1);
            world.recv(buf(in), 1);
        } else {
            world.recv(buf(in), 0);
            world.send(buf(out), 0);
        }
    }
}
