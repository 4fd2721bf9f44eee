package org.tutti.bench.mpi4py;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Passes a message from rank 0 through all ranks and back.
final class ObjectRing {
    private static final int TAG = 0;
    private static final byte CONTENT = 42;

    private ObjectRing() {}

    static boolean run(Mpi mpi, BenchOptions options, Report report) {
        Comm world = mpi.world();
        int bytes = Math.toIntExact(options.sizes().getFirst());
        byte[] sent = new byte[bytes], received = new byte[bytes];
        if (world.rank() == 0) Arrays.fill(sent, CONTENT);
        Buf in = buf(received), out = world.rank() == 0 ? buf(sent) : in;
        world.barrier();
        loop(world, out, in, Math.max(0, options.warmup()));
        long start = System.nanoTime();
        loop(world, out, in, options.iterations());
        double seconds = (System.nanoTime() - start) / 1e9;
        if (!options.quiet()) {
            report.text("time for " + options.iterations() + " loops = " + GeneralFormat.of(seconds) + " seconds ("
                    + world.size() + " processes, " + bytes + " bytes)");
        }
        boolean right = world.rank() > 0 || options.iterations() == 0 || Arrays.equals(sent, received);
        if (!right) report.text("the returned message differs from the sent message");
        return right;
    }

    private static void loop(Comm world, Buf out, Buf in, int times) {
        int size = world.size(), me = world.rank();
        int right = (me + 1) % size, left = (me + size - 1) % size;
        for (int i = 0; i < times; i++) {
            if (size == 1) {
                world.sendrecv(out, right, TAG, in, left, TAG);
            } else if (me == 0) {
                world.send(out, right, TAG);
                world.recv(in, left, TAG);
            } else {
                world.recv(in, left, TAG);
                world.send(out, right, TAG);
            }
        }
    }
}
