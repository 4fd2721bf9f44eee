package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Brings data of several kinds together in one message, in the order in which it is added. It grows by
/// itself, so no size is asked for before and no position is kept. `MPI_Pack` and `MPI_Pack_external`,
/// MPI 4.1, sections 5.2 and 5.3.
///
///     Packer p = new Packer().add(buf(header)).add(buf(matrix, 3, 1, column));
///     world.send(p.buf(), 1);
///     …
///     Unpacker u = new Unpacker(bytes).take(buf(header)).take(buf(column));
///
/// The message is of [Datatype#PACKED]: it may be received as that, as bytes for an [Unpacker], or as the types
/// that were packed. Everything here is local. For one thread.
public final class Packer {
    private static final int FIRST_BYTES = 256;

    private final boolean external;
    private byte[] room = new byte[FIRST_BYTES];
    private int length;

    /// Makes an empty one, for this machine's representation.
    public Packer() {
        this(false);
    }

    private Packer(boolean external) {
        this.external = external;
    }

    /// Makes an empty one, for the representation that the standard calls `external32`, the same on all
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
    /// @throws MpiException `ERR_BUFFER` when there is no data in it or a record is null; `ERR_COUNT` when
    ///     all together is longer than an array can be
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
                    ErrorClass.ERR_COUNT, "Packer.add", "all together are " + end + " bytes; send it in parts", null);
        }
        if (end > room.length)
            room = Arrays.copyOf(room, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(end, 2L * room.length)));
        return (int) end;
    }

    /// Returns the number of bytes that were packed so far.
    public long sizeBytes() {
        return length;
    }

    /// Returns what was packed so far, as [Datatype#PACKED]. It must not be used once more is added.
    public Buf buf() {
        return Buf.buf(room, 0, length, Datatype.PACKED);
    }

    /// Returns a copy of what was packed so far.
    public byte[] toByteArray() {
        return Arrays.copyOf(room, length);
    }
}
