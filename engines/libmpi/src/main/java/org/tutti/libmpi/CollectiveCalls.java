package org.tutti.libmpi;

import static org.tutti.libmpi.raw.CollectiveFunctions.*;
import static org.tutti.libmpi.raw.LargeCountFunctions.AVAILABLE;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Test;

import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Collective calls that use the library's functions: the blocking function, or the nonblocking function with a
/// request.
///
///     CollectiveCalls ──▶ DataMovementCollectives (blocks) | ReductionCollectives (operands)
///                                         └──▶ OperandStaging (addresses of the data) ──▶ Staging
final class CollectiveCalls {
    private final OperandStaging staging;
    private final DataMovementCollectives dataMovement;
    private final ReductionCollectives reductions;

    CollectiveCalls(Staging memory) {
        staging = new OperandStaging(memory);
        dataMovement = new DataMovementCollectives(staging);
        reductions = new ReductionCollectives(staging);
    }

    /// Issues the call. If `blocking`, the caller then calls [#finish]; otherwise the call has requests, which
    /// [#test] tests.
    void issue(NativeCollective c, NativeScratch s, boolean blocking) {
        c.scratch = s;
        c.blocking = blocking;
        c.isStepwise = false;
        try {
            switch (c.kind) {
                case BARRIER -> issued(c, MPI_Barrier(c.nativeComm().handle, c.request()));
                case BCAST -> issued(c, bcast(c));
                case GATHER -> issued(c, dataMovement.gather(c));
                case ALLGATHER -> issued(c, dataMovement.allgather(c));
                case SCATTER -> issued(c, dataMovement.scatter(c));
                case ALLTOALL -> issued(c, dataMovement.alltoall(c));
                case REDUCE, ALLREDUCE, SCAN, EXSCAN -> reductions.whole(c);
                case REDUCE_SCATTER -> reductions.scattered(c);
                case ALLTOALLW, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW ->
                    throw new IllegalStateException(c.kind + " is done by a schedule");
            }
        } finally {
            c.scratch = null;
        }
        if (!blocking) c.nativeComm().retain();
    }

    private static void issued(NativeCollective c, int rc) {
        check(rc, c);
        if (!c.blocking) c.add(c.scratch().request());
    }

    /// Tests an issued call, and finishes it if it is complete. Returns whether it is complete.
    boolean test(NativeCollective c, NativeScratch s) {
        while (c.pending > 0) {
            s.request(c.requests[c.pending - 1]);
            check(MPI_Test(s.request, s.flag, s.status), c);
            if (!s.flag()) return false;
            c.pending--;
        }
        c.nativeComm().release();
        finish(c);
        return true;
    }

    /// Finishes a call that the library has completed: copies the result to the heap and releases memory.
    void finish(NativeCollective c) {
        NativeOp op = c.nativeOp;
        Throwable thrown = op == null ? null : op.failure();
        if (thrown != null) throw thrown(c, thrown);
        staging.deliver(c);
        release(c);
        c.complete();
    }

    void release(NativeCollective c) {
        staging.release(c);
        NativeOp op = c.nativeOp;
        if (op != null) op.give();
        c.nativeOp = null;
    }

    private static Fault thrown(NativeCollective c, Throwable thrown) {
        Fault e = Fault.job(
                PredefinedErrorClass.ERR_OP,
                c.operation,
                "operation " + c.reduction().name() + " threw " + thrown,
                c.comm);
        e.addSuppressed(thrown);
        return e;
    }

    private int bcast(NativeCollective c) {
        long bytes = c.send.count * c.send.type.bytes();
        CallArguments all = c.received;
        all.address = staging.received(c, bytes, 0, c.isRoot() ? bytes : 0);
        if (c.isRoot()) c.result = null;
        boolean large = !Types.fitsInt(c.send.count) && AVAILABLE;
        all.block(c.send, large);
        try {
            return MPI_Bcast(large, all.address, all.count, all.type, c.root, c.nativeComm().handle, c.request());
        } finally {
            c.releaseArguments();
        }
    }

    private static void check(int rc, NativeCollective c) {
        if (rc != 0) throw Errors.ofCollective(rc, c.operation, c.comm);
    }
}
