package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Packs data of several kinds into one message, in the order in which it is added. The message grows as
/// needed, so the program need not manage a size or a position. `MPI_Pack` and `MPI_Pack_external`, MPI 4.1,
/// sections 5.2 and 5.3.
///
///     Packer p = new Packer().add(buf(header)).add(buf(matrix, 3, 1, column));
///     world.send(p.buf(), 1);
///     …
///     Unpacker u = new Unpacker(bytes).take(buf(header)).take(buf(column));
///
/// The message has type [Datatype#PACKED]: it may be received as this type, as bytes for an [Unpacker], or as
/// the types that were packed. All methods are local. A packer must be used by only one thread at a time.
public final class Packer {
    private static final int FIRST_BYTES = 256;

    private final boolean external;
    private byte[] room = new byte[FIRST_BYTES];
    private int length;

    /// Creates an empty message in this machine's representation.
    public Packer() {
        this(false);
    }

    private Packer(boolean external) {
        this.external = external;
    }

    /// Creates an empty message in the standard's representation `external32`, which is the same on all
    /// machines: big-endian, without gaps. MPI 4.1, sections 5.3 and 14.5.2.
    public static Packer external32() {
        return new Packer(true);
    }

    /// Returns the number of bytes that [#add] will append. `MPI_Pack_size` and `MPI_Pack_external_size`, MPI
    /// 4.1, sections 5.2 and 5.3.
    public long sizeBytes(Buf data) {
        return external ? External32.bytes(data) : data.sizeBytes();
    }

    /// Appends a copy of `data`, and returns this. `MPI_Pack`, MPI 4.1, section 5.2.
    ///
    /// @throws MpiException `ERR_BUFFER` if `data` is [Buf#NONE], or if a record is null; `ERR_COUNT` if the
    ///     message exceeds the maximum length of an array
    public Packer add(Buf data) {
        Unpacker.check("Packer.add", data);
        Arguments.checkRecords("Packer.add", data, 0, data.count(), null);
        int end = reserve(sizeBytes(data));
        MemorySegment target = MemorySegment.ofArray(room).asSlice(length, end - length);
        if (external) External32.write(data, target);
        else data.packInto(target);
        length = end;
        return this;
    }

    private int reserve(long more) {
        long end = length + more;
        if (end > Integer.MAX_VALUE - 8) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    "Packer.add",
                    "the packed data would have " + end + " bytes, more than an array can hold; send it in parts",
                    null);
        }
        if (end > room.length)
            room = Arrays.copyOf(room, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(end, 2L * room.length)));
        return (int) end;
    }

    /// Returns the number of bytes that have been packed so far.
    public long sizeBytes() {
        return length;
    }

    /// Returns the packed data, as elements of [Datatype#PACKED]. The result must not be used after more data
    /// has been added.
    public Buf buf() {
        return Buf.buf(room, 0, length, Datatype.PACKED);
    }

    /// Returns a copy of the packed data.
    public byte[] toByteArray() {
        return Arrays.copyOf(room, length);
    }
}
