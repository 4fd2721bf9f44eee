package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Mpi;

/// A transpose by one alltoall.
final class TransposeAlltoall extends TransposeByMessages {
    private final double[] out, in;

    TransposeAlltoall(Mpi mpi, int divisor) {
        super(mpi, divisor);
        out = new double[ranks * square];
        in = new double[ranks * square];
    }

    @Override
    void addTranspose() {
        for (int r = 0; r < ranks; r++) turn(r, out, r * square);
        world.alltoall(buf(out), buf(in));
        for (int r = 0; r < ranks; r++) add(in, r * square, r);
    }
}
