package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Unpacks the data of a [Packer], in the same order. `MPI_Unpack` and `MPI_Unpack_external`, MPI 4.1, sections
/// 5.2 and 5.3. All methods are local. An unpacker must be used by only one thread at a time.
public final class Unpacker {
    private final boolean external;
    private final MemorySegment from;
    private long position;

    /// Creates an unpacker for packed bytes.
    public Unpacker(byte[] packed) {
        this(MemorySegment.ofArray(packed));
    }

    /// Creates an unpacker for packed bytes in a segment.
    public Unpacker(MemorySegment packed) {
        this(packed, false);
    }

    private Unpacker(MemorySegment packed, boolean external) {
        from = packed;
        this.external = external;
    }

    /// Creates an unpacker for data in `external32`, which [Packer#external32()] or a different program has
    /// packed.
    public static Unpacker external32(byte[] packed) {
        return new Unpacker(MemorySegment.ofArray(Arguments.given("external32", "packed", packed)), true);
    }

    /// Fills `data` with the next packed elements, and returns this. `MPI_Unpack`, MPI 4.1, section 5.2.
    ///
    /// @throws MpiException `ERR_TRUNCATE` if the remaining bytes do not fill `data`; `ERR_BUFFER` if `data`
    ///     cannot be written; `ERR_TYPE` if some bytes occur twice in the type
    public Unpacker take(Buf data) {
        check("Unpacker.take", data);
        Arguments.checkReceiveBuffer("Unpacker.take", data, null);
        long bytes = external ? External32.bytes(data) : data.sizeBytes();
        if (bytes > remaining()) {
            throw MpiException.argument(
                    ErrorClass.ERR_TRUNCATE,
                    "Unpacker.take",
                    data + " needs " + bytes + " bytes but " + remaining() + " remain",
                    null);
        }
        MemorySegment part = from.asSlice(position, bytes);
        if (external) External32.read(data, part);
        else data.unpackFrom(part);
        position += bytes;
        return this;
    }

    /// Returns the number of bytes that have not been unpacked yet.
    public long remaining() {
        return from.byteSize() - position;
    }

    static void check(String operation, Buf data) {
        if (data.isPlace()) return;
        throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, data + " has no data; pass a buffer", null);
    }
}
