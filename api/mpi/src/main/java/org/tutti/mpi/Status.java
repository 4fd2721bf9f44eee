package org.tutti.mpi;

import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Information about a message that was received or probed, an access to a file, or a generalized request. MPI
/// 4.1, sections 3.2.5, 13.3 and 14.4.
public final class Status {
    private static final Status NULL_PROCESS = new Status(Comm.PROC_NULL, Comm.ANY_TAG, 0, ElementType.BYTE, false);
    private static final Status EMPTY = new Status(Comm.ANY_SOURCE, Comm.ANY_TAG, 0, ElementType.BYTE, false);

    private static final Status CANCELLED = new Status(Comm.ANY_SOURCE, Comm.ANY_TAG, 0, ElementType.BYTE, true);

    private final int source;
    private final int tag;
    private final long sizeBytes;
    private final ElementType type;
    private final boolean cancelled;

    Status(int source, int tag, long sizeBytes, ElementType type, boolean cancelled) {
        this.source = source;
        this.tag = tag;
        this.sizeBytes = sizeBytes;
        this.type = type;
        this.cancelled = cancelled;
    }

    /// Returns the status of `transfer`. If `last` is equal, returns `last`, so that a loop with similar
    /// messages allocates no memory.
    static Status of(Transfer transfer, Status last) {
        int source = transfer.sender();
        long sizeBytes = transfer.type.withoutGaps(transfer.receivedBytes);
        if (last.source == source
                && last.tag == transfer.receivedTag
                && last.sizeBytes == sizeBytes
                && last.type == transfer.type
                && last.cancelled == transfer.cancelled) {
            return last;
        }
        return new Status(source, transfer.receivedTag, sizeBytes, transfer.type, transfer.cancelled);
    }

    /// Returns the status of a receive from `PROC_NULL`.
    static Status ofNullProcess() {
        return NULL_PROCESS;
    }

    /// Returns the empty status. It is the status of an operation that receives no data, for example a send,
    /// and of a request that was never started. Local. MPI 4.1, section 3.7.3.
    public static Status empty() {
        return EMPTY;
    }

    /// Returns the status of a generalized request ([Mpi#request]) that has transferred `count` elements of
    /// `type`. Local. `MPI_Status_set_elements`, MPI 4.1, section 13.3.
    ///
    /// @throws MpiException `ERR_COUNT` if `count` is negative, or the number of bytes is too large
    public static Status of(long count, Datatype type) {
        Arguments.given("of", "type", type);
        long size = type.sizeBytes();
        if (count < 0 || size > 0 && count > Long.MAX_VALUE / size) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    "Status.of",
                    "count=" + count + " of " + type + ", of " + size + " bytes each, is negative or exceeds"
                            + " 2^63 - 1 bytes",
                    null);
        }
        return new Status(Comm.ANY_SOURCE, Comm.ANY_TAG, count * size, type.elements(), false);
    }

    /// Returns the status of a generalized request ([Mpi#request]) that was cancelled. Local.
    /// `MPI_Status_set_cancelled`, MPI 4.1, section 13.3.
    public static Status ofCancelled() {
        return CANCELLED;
    }

    /// Returns the same status with a different source, which can be any number. Local.
    /// `MPI_Status_set_source`, MPI 4.1, section 13.3.
    public Status withSource(int rank) {
        return new Status(rank, tag, sizeBytes, type, cancelled);
    }

    /// Returns the same status with a different tag, which can be any number. Local. `MPI_Status_set_tag`, MPI
    /// 4.1, section 13.3.
    public Status withTag(int number) {
        return new Status(source, number, sizeBytes, type, cancelled);
    }

    /// Returns the status of an access to a file.
    ///
    /// @param memoryBytes the number of bytes, including the gaps of pairs
    static Status ofFile(long memoryBytes, Datatype type) {
        long sizeBytes = type.elements().withoutGaps(memoryBytes);
        return new Status(Comm.ANY_SOURCE, Comm.ANY_TAG, sizeBytes, type.elements(), false);
    }

    /// Returns the sender, which is a rank of the communicator; on an intercommunicator, a rank of the remote
    /// group. Returns [Comm#PROC_NULL] for a receive from [Comm#PROC_NULL], and [Comm#ANY_SOURCE] for an empty
    /// status. Local. MPI 4.1, section 3.2.5.
    public int source() {
        return source;
    }

    /// Returns the message's tag; [Comm#ANY_TAG] if there was no message. Local. MPI 4.1, section 3.2.5.
    public int tag() {
        return tag;
    }

    /// Returns the length of the message in elements of the receive buffer's type. A probe has no type, so
    /// after a probe the length is in bytes; [#count(Datatype)] returns the number of elements. Local. MPI 4.1,
    /// section 3.2.5.
    ///
    /// @throws MpiException `ERR_TYPE` if the message is not a whole number of elements
    public long count() {
        return count(type.withoutGaps(type.size()), type);
    }

    /// Returns the length of the message in elements of type `elements`. Local. `MPI_Get_count`, MPI 4.1,
    /// section 3.2.5.
    ///
    /// @throws MpiException `ERR_TYPE` if the message is not a whole number of elements, for which the standard
    ///     returns `MPI_UNDEFINED`; in this case, use [#elements(Datatype)] or [#sizeBytes]
    public long count(Datatype elements) {
        return count(elements.sizeBytes(), elements);
    }

    private long count(long size, Object elements) {
        if (size == 0 ? sizeBytes == 0 : sizeBytes % size == 0) return size == 0 ? 0 : sizeBytes / size;
        throw MpiException.argument(
                ErrorClass.ERR_TYPE,
                "Status.count",
                sizeBytes + " bytes are not a whole number of " + elements + ", of " + size
                        + " bytes each; elements(type) counts basic elements, sizeBytes() bytes",
                null);
    }

    /// Returns the number of basic elements, which have predefined types, in a message of `type`. The last
    /// element of type `type` may be partial. Local. `MPI_Get_elements`, MPI 4.1, section 5.1.11.
    ///
    /// @throws MpiException `ERR_TYPE` if the message ends within a basic element, for which the standard
    ///     returns `MPI_UNDEFINED`
    public long elements(Datatype type) {
        long count = type.signature().elements(type.elements().withGaps(sizeBytes));
        if (count >= 0) return count;
        throw MpiException.argument(
                ErrorClass.ERR_TYPE,
                "Status.elements",
                sizeBytes + " bytes end within a basic element of " + type + "; sizeBytes() counts bytes",
                null);
    }

    /// Returns the number of bytes of the message, without the gaps of a derived type. Local. MPI 4.1, section
    /// 3.2.5.
    public long sizeBytes() {
        return sizeBytes;
    }

    /// Returns whether the request was cancelled and transferred no data. Local. `MPI_Test_cancelled`, MPI 4.1,
    /// section 3.8.4.
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public String toString() {
        if (cancelled) return "cancelled";
        if (source == Comm.PROC_NULL) return "no data from PROC_NULL";
        if (source == Comm.ANY_SOURCE) return sizeBytes == 0 ? "empty" : sizeBytes + " bytes";
        return sizeBytes + " bytes from rank " + source + ", tag " + tag;
    }
}
