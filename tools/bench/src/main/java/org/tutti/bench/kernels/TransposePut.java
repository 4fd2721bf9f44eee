package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Window;

/// A transpose by puts: each rank has a window with space for a square from each rank. In each iteration, one
/// fence ends the reads of the previous iteration, and a second one ends the puts.
final class TransposePut extends TransposeByMessages {
    private final Window window;
    private final double[] out, in;

    TransposePut(Mpi mpi, int divisor) {
        super(mpi, divisor);
        window = Window.allocate(world, (long) Double.BYTES * ranks * square, Double.BYTES);
        out = new double[ranks * square];
        in = new double[square];
    }

    @Override
    void addTranspose() {
        window.fence();
        for (int r = 0; r < ranks; r++) {
            turn(r, out, r * square);
            window.put(buf(out, r * square, square), r, (long) me * square);
        }
        window.fence();
        MemorySegment arrived = window.memory();
        for (int r = 0; r < ranks; r++) {
            MemorySegment.copy(arrived, ValueLayout.JAVA_DOUBLE, (long) Double.BYTES * r * square, in, 0, square);
            add(in, 0, r);
        }
    }

    @Override
    public void close() {
        window.close();
    }
}
