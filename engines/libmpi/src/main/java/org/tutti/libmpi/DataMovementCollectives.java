package org.tutti.libmpi;

import static org.tutti.libmpi.raw.CollectiveFunctions.*;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.ExchangeFunctions.*;
import static org.tutti.libmpi.raw.LargeCountFunctions.AVAILABLE;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Collective calls that move blocks: gather, allgather, scatter, all-to-all.
///
/// Gather and scatter use the v form, because only the root knows whether the blocks are uneven. On a mixed
/// communicator they use the plain form, because programs in other languages call the plain form for gather and
/// scatter. The other calls use the v form if this rank passes separate blocks: either all ranks do, or none
/// does.
final class DataMovementCollectives {
    private final OperandStaging staging;

    DataMovementCollectives(OperandStaging staging) {
        this.staging = staging;
    }

    int gather(NativeCollective c) {
        boolean root = c.isRoot();
        CallArguments recv = c.received;
        recv.nothing(c.recv.type);
        if (root) recv.address = staging.blocksReceived(c, false);
        blockSent(c, root);
        long count = c.inPlace && root ? 0 : c.send.count;
        if (c.nativeComm().isMixed()) return plainGather(c, count);
        int size = c.nativeComm().size();
        boolean large = !(Types.fitsInt(count) && (!root || CallArguments.fit(c.recv, size))) && AVAILABLE;
        try {
            c.sent.block(c.send.type, count, large);
            if (root) recv.blocks(c, c.recv, large, staging.arguments(c));
            return gatherv(c, large);
        } finally {
            c.releaseArguments();
        }
    }

    int scatter(NativeCollective c) {
        boolean root = c.isRoot();
        boolean keeps = root && c.inPlace;
        CallArguments send = c.sent, recv = c.received;
        send.nothing(c.send.type);
        if (root) send.address = staging.blocksSent(c);
        long count = keeps ? 0 : c.recv.count;
        recv.address = keeps ? MPI_IN_PLACE : staging.received(c, c.recv.count * c.recv.type.bytes(), 0, 0);
        if (c.nativeComm().isMixed()) return plainScatter(c, count);
        int size = c.nativeComm().size();
        boolean large = !(Types.fitsInt(count) && (!root || CallArguments.fit(c.send, size))) && AVAILABLE;
        try {
            recv.block(c.recv.type, count, large);
            if (root) send.blocks(c, c.send, large, staging.arguments(c));
            return scatterv(c, large);
        } finally {
            c.releaseArguments();
        }
    }

    private static int plainGather(NativeCollective c, long count) {
        CallArguments a = c.sent, b = c.received;
        if (c.isRoot() && c.recv.blocks != null) throw uneven(c, "MPI_Gather");
        try {
            a.block(c.send.type, count, false);
            if (c.isRoot()) b.block(c.recv, false);
            long comm = c.nativeComm().handle;
            int n = (int) a.count, each = (int) b.count;
            return MPI_Gather(a.address, n, a.type, b.address, each, b.type, c.root, comm, c.request());
        } finally {
            c.releaseArguments();
        }
    }

    private static int plainScatter(NativeCollective c, long count) {
        CallArguments a = c.sent, b = c.received;
        if (c.isRoot() && c.send.blocks != null) throw uneven(c, "MPI_Scatter");
        try {
            b.block(c.recv.type, count, false);
            if (c.isRoot()) a.block(c.send, false);
            long comm = c.nativeComm().handle;
            int each = (int) a.count, n = (int) b.count;
            return MPI_Scatter(a.address, each, a.type, b.address, n, b.type, c.root, comm, c.request());
        } finally {
            c.releaseArguments();
        }
    }

    private static Fault uneven(NativeCollective c, String function) {
        return Fault.argument(
                PredefinedErrorClass.ERR_ARG,
                c.operation,
                "the buffer has blocks, but in a communicator with ranks that are not Java programs this call is "
                        + function
                        + ", which requires equal, consecutive blocks; use messages, or an allgather with blocks",
                c.comm);
    }

    int allgather(NativeCollective c) {
        CallArguments recv = c.received;
        recv.address = staging.blocksReceived(c, false);
        blockSent(c, true);
        long count = c.inPlace ? 0 : c.send.count;
        int size = c.nativeComm().size();
        boolean even = c.recv.blocks == null;
        boolean large = !even && !(Types.fitsInt(count) && CallArguments.fit(c.recv, size)) && AVAILABLE;
        try {
            c.sent.block(c.send.type, count, large);
            if (even) {
                recv.block(c.recv, false);
                return allgatherEven(c);
            }
            recv.blocks(c, c.recv, large, staging.arguments(c));
            return allgatherv(c, large);
        } finally {
            c.releaseArguments();
        }
    }

    int alltoall(NativeCollective c) {
        CallArguments send = c.sent, recv = c.received;
        recv.address = staging.blocksReceived(c, true);
        send.address = c.inPlace ? MPI_IN_PLACE : staging.blocksSent(c);
        int size = c.nativeComm().size();
        boolean even = c.recv.blocks == null && c.send.blocks == null;
        boolean large = !even && !(CallArguments.fit(c.recv, size) && CallArguments.fit(c.send, size)) && AVAILABLE;
        try {
            if (even) {
                recv.block(c.recv, false);
                if (!c.inPlace) send.block(c.send, false);
                if (c.inPlace) send.like(recv);
                return alltoallEven(c);
            }
            MemorySegment arguments = staging.arguments(c);
            recv.blocks(c, c.recv, large, arguments);
            MemorySegment rest = arguments.asSlice(CallArguments.argumentBytes(size));
            if (!c.inPlace) send.blocks(c, c.send, large, rest);
            if (c.inPlace) send.like(recv);
            return alltoallv(c, large);
        } finally {
            c.releaseArguments();
        }
    }

    /// Sets this rank's block as the send argument. `has` states whether this rank also receives all blocks.
    private void blockSent(NativeCollective c, boolean has) {
        long bytes = c.send.count * c.send.type.bytes();
        int me = c.nativeComm().rank();
        c.sent.address = !c.inPlace
                ? staging.sent(c, c.send.memory, 0, bytes)
                : has ? MPI_IN_PLACE : staging.sent(c, c.recv.memory, c.recv.blockOffset(me), bytes);
    }

    private static int gatherv(NativeCollective c, boolean large) {
        CallArguments a = c.sent, b = c.received;
        MemorySegment places = b.displacements;
        long comm = c.nativeComm().handle;
        return MPI_Gatherv(
                large, a.address, a.count, a.type, b.address, b.counts, places, b.type, c.root, comm, c.request());
    }

    private static int scatterv(NativeCollective c, boolean large) {
        CallArguments a = c.sent, b = c.received;
        MemorySegment places = a.displacements;
        long comm = c.nativeComm().handle;
        return MPI_Scatterv(
                large, a.address, a.counts, places, a.type, b.address, b.count, b.type, c.root, comm, c.request());
    }

    private static int allgatherEven(NativeCollective c) {
        CallArguments a = c.sent, b = c.received;
        long comm = c.nativeComm().handle;
        return MPI_Allgather(a.address, (int) a.count, a.type, b.address, (int) b.count, b.type, comm, c.request());
    }

    private static int allgatherv(NativeCollective c, boolean large) {
        CallArguments a = c.sent, b = c.received;
        MemorySegment places = b.displacements;
        long comm = c.nativeComm().handle;
        return MPI_Allgatherv(
                large, a.address, a.count, a.type, b.address, b.counts, places, b.type, comm, c.request());
    }

    private static int alltoallEven(NativeCollective c) {
        CallArguments a = c.sent, b = c.received;
        long comm = c.nativeComm().handle;
        return MPI_Alltoall(a.address, (int) a.count, a.type, b.address, (int) b.count, b.type, comm, c.request());
    }

    private static int alltoallv(NativeCollective c, boolean large) {
        CallArguments a = c.sent, b = c.received;
        MemorySegment sent = a.displacements, received = b.displacements;
        long comm = c.nativeComm().handle;
        return MPI_Alltoallv(
                large, a.address, a.counts, sent, a.type, b.address, b.counts, received, b.type, comm, c.request());
    }
}
