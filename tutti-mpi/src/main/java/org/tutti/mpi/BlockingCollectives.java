package org.tutti.mpi;

import org.tutti.mpi.spi.CommPort;

/// The page of [Comm] with collective operations on typed data. MPI 4.1, chapter 6.
abstract sealed class BlockingCollectives extends ObjectCalls permits NonblockingCollectives {
    final Collectives collectives;

    BlockingCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
        collectives = new Collectives(mpi, port);
    }

    /// Returns when every rank has called it. MPI 4.1, section 6.3.
    public final void barrier() {
        collectives.barrier(begin("barrier"));
    }

    /// Gives every rank the data that is in `buf` at `root`. All ranks pass as many elements of the same
    /// type. MPI 4.1, section 6.4.
    public final void bcast(Buf buf, int root) {
        collectives.bcast(begin("bcast"), buf, root);
    }

    /// As [#reduce(Buf, Buf, Op, int)], in place at the root: there `buf` is operand and result.
    public final void reduce(Buf buf, Op op, int root) {
        boolean atRoot = port.rank() == root;
        collectives.reduce(begin("reduce"), atRoot ? Buf.IN_PLACE : buf, atRoot ? buf : Buf.NONE, op, root);
    }

    /// Combines `send` element by element over all ranks; `root` gets the result in `recv`, which the
    /// others pass as `NONE`. All ranks pass as many elements of the same type, and the same `op` and
    /// `root`. MPI 4.1, section 6.9.1.
    public final void reduce(Buf send, Buf recv, Op op, int root) {
        collectives.reduce(begin("reduce"), send, recv, op, root);
    }

    /// As [#allreduce(Buf, Buf, Op)], in place: `buf` is operand and result.
    public final void allreduce(Buf buf, Op op) {
        collectives.allreduce(begin("allreduce"), Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over all ranks; every rank gets the same result in `recv`. All
    /// ranks pass as many elements of the same type, and the same `op`. The buffers do not overlap. MPI
    /// 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_COUNT`, `ERR_TYPE` when `recv` does not fit `send`, `ERR_OP` when `op` is
    ///     not defined for the type
    public final void allreduce(Buf send, Buf recv, Op op) {
        collectives.allreduce(begin("allreduce"), send, recv, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final double allreduce(double value, Op op) {
        return collectives.allreduce(begin("allreduce"), value, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final long allreduce(long value, Op op) {
        return collectives.allreduce(begin("allreduce"), value, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final int allreduce(int value, Op op) {
        return collectives.allreduce(begin("allreduce"), value, op);
    }

    /// Brings every rank's `send` to `root`, in rank order into `recv`; the others pass `NONE` there. Without
    /// blocks, all ranks send `recv.count() / size()` elements; with [Buf#blocks(int...)] at the root, rank r
    /// sends `counts[r]`. At the root `send` may be `IN_PLACE`. MPI 4.1, section 6.5.
    public final void gather(Buf send, Buf recv, int root) {
        collectives.gather(begin("gather"), send, recv, root);
    }

    /// As [#allgather(Buf, Buf)], in place: this rank's block already lies where it belongs in `buf`.
    public final void allgather(Buf buf) {
        collectives.allgather(begin("allgather"), Buf.IN_PLACE, buf);
    }

    /// Brings every rank's `send` to every rank, in rank order into `recv`. With blocks, all ranks pass
    /// the same ones. MPI 4.1, section 6.7.
    public final void allgather(Buf send, Buf recv) {
        collectives.allgather(begin("allgather"), send, recv);
    }
}
