package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Mpi;

/// A transpose by pairwise exchange: in step s, a rank sends to the s-th rank after it, and receives from the
/// s-th rank before it.
final class TransposeExchange extends TransposeByMessages {
    private final double[] out, in;

    TransposeExchange(Mpi mpi, int divisor) {
        super(mpi, divisor);
        out = new double[square];
        in = new double[square];
    }

    @Override
    void addTranspose() {
        turn(me, out, 0);
        add(out, 0, me);
        for (int s = 1; s < ranks; s++) {
            int dest = (me + s) % ranks, source = (me + ranks - s) % ranks;
            turn(dest, out, 0);
            world.sendrecv(buf(out), dest, buf(in), source);
            add(in, 0, source);
        }
    }
}
