package org.tutti.mpi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.StackSnapshot;
import org.tutti.mpi.engine.NullComm;
import org.tutti.spi.CommPort;

/// The part of a communicator that all operations use: the [CommPort], the lifetime, and the checks of ranks
/// and tags.
abstract sealed class CommHandle implements Communicator permits CommAccessors {
    final Mpi mpi;
    final CommPort port;
    final SendBuffers buffers;

    /// The number of ranks with which this rank exchanges messages.
    private final int peers;

    private final int highestTag;

    /// Where the program created the communicator; null for the predefined communicators.
    @Nullable
    StackSnapshot createdAt;

    /// Where the program closed the communicator; null while it is open.
    @Nullable
    volatile StackSnapshot closedAt;

    CommHandle(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
        highestTag = mpi.tagUpperBound();
        buffers = new SendBuffers(mpi, port, false);
        peers = port.peerSize();
    }

    final void checkOpen(String operation) {
        StackSnapshot closed = closedAt;
        if (closed != null) throw closedComm(operation, closed);
    }

    private MpiException closedComm(String operation, StackSnapshot closed) {
        String what = "the communicator " + name() + " was closed" + closed.at();
        return MpiException.argument(ErrorClass.ERR_COMM, operation, what, port);
    }

    final boolean isClosed() {
        return closedAt != null;
    }

    final StackSnapshot createdAt() {
        return Objects.requireNonNull(createdAt);
    }

    /// Returns the engine for an operation that begins now on this communicator. Throws if the communicator is
    /// closed or has no ranks.
    final EngineCalls begin(String operation) {
        StackSnapshot closed = closedAt;
        // this check precedes the engine's check, because this message names the source line of the close
        if (closed != null) throw closedComm(operation, closed);
        EngineCalls engine = mpi.engine(operation);
        if (port instanceof NullComm none) {
            throw MpiException.argument(ErrorClass.ERR_COMM, operation, none.why(), mpi.where());
        }
        return engine;
    }

    /// Returns whether the caller is the root. On an intercommunicator, the root passes [#ROOT].
    final boolean isRoot(int root) {
        return port.isInter() ? root == ROOT : root == port.rank();
    }

    final void checkTag(String operation, int tag) {
        if (tag < 0 || tag > highestTag) throw badTag(operation, tag);
    }

    final void checkSend(String operation, Buf buf, int dest, int tag) {
        if (dest != PROC_NULL && (dest < 0 || dest >= peers)) throw badRank(operation, "dest", dest);
        if (tag < 0 || tag > highestTag) throw badTag(operation, tag);
        if (buf == null) Arguments.given(operation, "buf", null, port);
        if (buf == Buf.IN_PLACE) throw Arguments.noPlace(operation, port);
        if (buf.pieces != null) Arguments.checkRecords(operation, buf, 0, buf.count(), port);
    }

    final void checkRecv(String operation, Buf buf, int source, int tag) {
        if (source < 0 ? source != ANY_SOURCE && source != PROC_NULL : source >= peers) {
            throw badRank(operation, "source", source);
        }
        if (tag != ANY_TAG && (tag < 0 || tag > highestTag)) throw badTag(operation, tag);
        // an array needs no check: it is writable, and without a layout no bytes overlap
        if (buf == null || buf.array == null || buf.layout != null) Arguments.checkReceiveBuffer(operation, buf, port);
    }

    private MpiException badRank(String operation, String what, int rank) {
        return MpiException.argument(
                ErrorClass.ERR_RANK,
                operation,
                what + "=" + rank + " is not a rank of " + (port.isInter() ? "the remote group of " : "") + port.name()
                        + ", which has ranks 0 to " + (peers - 1),
                port);
    }

    private MpiException badTag(String operation, int tag) {
        return MpiException.argument(
                ErrorClass.ERR_TAG, operation, "tag=" + tag + " is not in 0 to " + highestTag, port);
    }
}
