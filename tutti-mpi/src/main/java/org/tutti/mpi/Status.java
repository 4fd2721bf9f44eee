package org.tutti.mpi;

import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// What is known about a message that was received or probed. MPI 4.1, section 3.2.5.
public final class Status {
    private static final Status NOBODY = new Status(Comm.PROC_NULL, Comm.ANY_TAG, 0, ElementType.BYTE, false);
    private static final Status EMPTY = new Status(Comm.ANY_SOURCE, Comm.ANY_TAG, 0, ElementType.BYTE, false);

    private final int source;
    private final int tag;
    private final long lengthBytes;
    private final ElementType type;
    private final boolean cancelled;

    Status(int source, int tag, long lengthBytes, ElementType type, boolean cancelled) {
        this.source = source;
        this.tag = tag;
        this.lengthBytes = lengthBytes;
        this.type = type;
        this.cancelled = cancelled;
    }

    /// The status of `transfer`; `last` itself when it says the same, so that a loop of like messages
    /// makes none.
    static Status of(Transfer transfer, Status last) {
        int source = transfer.sender();
        if (last.source == source
                && last.tag == transfer.receivedTag
                && last.lengthBytes == transfer.receivedBytes
                && last.type == transfer.type
                && last.cancelled == transfer.cancelled) {
            return last;
        }
        return new Status(source, transfer.receivedTag, transfer.receivedBytes, transfer.type, transfer.cancelled);
    }

    /// Of a receive from `PROC_NULL`.
    static Status nobody() {
        return NOBODY;
    }

    /// Of what receives nothing, a send for instance, and of a request that was never started: the standard's
    /// empty status (MPI 4.1, section 3.7.3).
    static Status empty() {
        return EMPTY;
    }

    /// The sender, as a rank of the communicator; of an intercommunicator, of its remote group.
    public int source() {
        return source;
    }

    public int tag() {
        return tag;
    }

    /// Elements of the receive buffer's type, as [#count(Datatype)]; bytes after a probe.
    public long count() {
        return count(type.size());
    }

    /// How many elements of `elements` the message has; [Comm#UNDEFINED] when it is no whole number of them.
    /// `MPI_Get_count`, section 3.2.5.
    public long count(Datatype elements) {
        return count(elements.size());
    }

    private long count(long size) {
        if (size == 0) return lengthBytes == 0 ? 0 : Comm.UNDEFINED;
        return lengthBytes % size == 0 ? lengthBytes / size : Comm.UNDEFINED;
    }

    /// How many basic elements the message has, those of predefined types, if it is of `type`: of a
    /// derived type the last element may have come in part. [Comm#UNDEFINED] when a basic element is cut.
    /// `MPI_Get_elements`, section 5.1.11.
    public long elements(Datatype type) {
        long count = type.signature().elements(lengthBytes);
        return count < 0 ? Comm.UNDEFINED : count;
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    /// Whether the request was cancelled and moved nothing.
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public String toString() {
        if (cancelled) return "cancelled";
        if (source == Comm.PROC_NULL) return "nothing from PROC_NULL";
        return source == Comm.ANY_SOURCE ? "empty" : lengthBytes + " bytes from rank " + source + ", tag " + tag;
    }
}
