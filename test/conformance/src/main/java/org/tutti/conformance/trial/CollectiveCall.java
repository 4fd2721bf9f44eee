package org.tutti.conformance.trial;

import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;

/// The collective operations on typed data in blocking, nonblocking and persistent form. The contracts pass
/// wrong arguments, so no call waits for a started request.
///
/// @param operation the name of the operation in error texts
public record CollectiveCall(String operation, Shape shape, Action action) {
    /// The arguments of an operation.
    public enum Shape {
        BARRIER,
        /// One buffer, which the call fills on every rank except the root.
        BCAST,
        /// The root sends a block to each rank.
        SCATTER,
        /// Each rank sends a block to the root.
        GATHER,
        ALLGATHER,
        ALLTOALL,
        ALLTOALLW,
        REDUCE,
        /// Every rank receives a result of the operand's length.
        REDUCE_ON_ALL,
        REDUCE_SCATTER_BLOCK,
        REDUCE_SCATTER;

        public boolean hasRoot() {
            return this == BCAST || this == SCATTER || this == GATHER || this == REDUCE;
        }

        public boolean hasOp() {
            return this == REDUCE || this == REDUCE_ON_ALL || this == REDUCE_SCATTER_BLOCK || this == REDUCE_SCATTER;
        }
    }

    /// The call. An operation ignores the arguments that it does not have.
    @FunctionalInterface
    public interface Action {
        void call(Comm comm, Buf send, Buf recv, Op op, int root);
    }

    public static List<CollectiveCall> all() {
        List<CollectiveCall> all = new ArrayList<>();
        forms(
                all,
                "barrier",
                Shape.BARRIER,
                (c, s, r, op, root) -> c.barrier(),
                (c, s, r, op, root) -> c.ibarrier(),
                (c, s, r, op, root) -> c.barrierInit());
        forms(
                all,
                "bcast",
                Shape.BCAST,
                (c, s, r, op, root) -> c.bcast(r, root),
                (c, s, r, op, root) -> c.ibcast(r, root),
                (c, s, r, op, root) -> c.bcastInit(r, root));
        forms(
                all,
                "scatter",
                Shape.SCATTER,
                (c, s, r, op, root) -> c.scatter(s, r, root),
                (c, s, r, op, root) -> c.iscatter(s, r, root),
                (c, s, r, op, root) -> c.scatterInit(s, r, root));
        forms(
                all,
                "gather",
                Shape.GATHER,
                (c, s, r, op, root) -> c.gather(s, r, root),
                (c, s, r, op, root) -> c.igather(s, r, root),
                (c, s, r, op, root) -> c.gatherInit(s, r, root));
        forms(
                all,
                "allgather",
                Shape.ALLGATHER,
                (c, s, r, op, root) -> c.allgather(s, r),
                (c, s, r, op, root) -> c.iallgather(s, r),
                (c, s, r, op, root) -> c.allgatherInit(s, r));
        forms(
                all,
                "alltoall",
                Shape.ALLTOALL,
                (c, s, r, op, root) -> c.alltoall(s, r),
                (c, s, r, op, root) -> c.ialltoall(s, r),
                (c, s, r, op, root) -> c.alltoallInit(s, r));
        forms(
                all,
                "alltoallw",
                Shape.ALLTOALLW,
                (c, s, r, op, root) -> c.alltoallw(new Buf[] {s}, new Buf[] {r}),
                (c, s, r, op, root) -> c.ialltoallw(new Buf[] {s}, new Buf[] {r}),
                (c, s, r, op, root) -> c.alltoallwInit(new Buf[] {s}, new Buf[] {r}));
        forms(
                all,
                "reduce",
                Shape.REDUCE,
                (c, s, r, op, root) -> c.reduce(s, r, op, root),
                (c, s, r, op, root) -> c.ireduce(s, r, op, root),
                (c, s, r, op, root) -> c.reduceInit(s, r, op, root));
        forms(
                all,
                "allreduce",
                Shape.REDUCE_ON_ALL,
                (c, s, r, op, root) -> c.allreduce(s, r, op),
                (c, s, r, op, root) -> c.iallreduce(s, r, op),
                (c, s, r, op, root) -> c.allreduceInit(s, r, op));
        forms(
                all,
                "scan",
                Shape.REDUCE_ON_ALL,
                (c, s, r, op, root) -> c.scan(s, r, op),
                (c, s, r, op, root) -> c.iscan(s, r, op),
                (c, s, r, op, root) -> c.scanInit(s, r, op));
        forms(
                all,
                "exscan",
                Shape.REDUCE_ON_ALL,
                (c, s, r, op, root) -> c.exscan(s, r, op),
                (c, s, r, op, root) -> c.iexscan(s, r, op),
                (c, s, r, op, root) -> c.exscanInit(s, r, op));
        forms(
                all,
                "reduceScatterBlock",
                Shape.REDUCE_SCATTER_BLOCK,
                (c, s, r, op, root) -> c.reduceScatterBlock(s, r, op),
                (c, s, r, op, root) -> c.ireduceScatterBlock(s, r, op),
                (c, s, r, op, root) -> c.reduceScatterBlockInit(s, r, op));
        forms(
                all,
                "reduceScatter",
                Shape.REDUCE_SCATTER,
                (c, s, r, op, root) -> c.reduceScatter(s, r, op),
                (c, s, r, op, root) -> c.ireduceScatter(s, r, op),
                (c, s, r, op, root) -> c.reduceScatterInit(s, r, op));
        return all;
    }

    private static void forms(
            List<CollectiveCall> all,
            String operation,
            Shape shape,
            Action blocking,
            Action nonblocking,
            Action persistent) {
        all.add(new CollectiveCall(operation, shape, blocking));
        all.add(new CollectiveCall("i" + operation, shape, nonblocking));
        all.add(new CollectiveCall(operation + "Init", shape, persistent));
    }

    public void call(Comm comm, Buf send, Buf recv, Op op, int root) {
        action.call(comm, send, recv, op, root);
    }
}
