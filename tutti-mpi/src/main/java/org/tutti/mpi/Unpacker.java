package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Takes apart what a [Packer] has brought together, in the same order. `MPI_Unpack` and
/// `MPI_Unpack_external`, MPI 4.1, sections 5.2 and 5.3.
public final class Unpacker {
    private final boolean external;
    private final MemorySegment from;
    private long position;

    /// Of what a [Packer] has packed.
    public Unpacker(byte[] packed) {
        this(MemorySegment.ofArray(packed));
    }

    /// As [#Unpacker(byte\[\])].
    public Unpacker(MemorySegment packed) {
        this(packed, false);
    }

    private Unpacker(MemorySegment packed, boolean external) {
        from = packed;
        this.external = external;
    }

    /// Of what [Packer#external32()] has packed, or any other program in `external32`.
    public static Unpacker external32(byte[] packed) {
        return new Unpacker(MemorySegment.ofArray(packed), true);
    }

    /// Fills `data` with what comes next.
    ///
    /// @throws MpiException `ERR_TRUNCATE` when less is left than it holds, `ERR_BUFFER` when it cannot be
    ///     filled
    public Unpacker take(Buf data) {
        check("Unpacker.take", data);
        CommHandle.checkReceiveBuffer("Unpacker.take", data, null);
        long bytes = external ? External32.bytes(data) : data.lengthBytes();
        if (bytes > remaining()) {
            throw MpiException.argument(
                    ErrorClass.ERR_TRUNCATE,
                    "Unpacker.take",
                    data + " take " + bytes + " bytes but " + remaining() + " are left",
                    null);
        }
        MemorySegment part = from.asSlice(position, bytes);
        if (external) External32.read(data, part);
        else data.unpackFrom(part);
        position += bytes;
        return this;
    }

    /// Bytes that were not taken yet.
    public long remaining() {
        return from.byteSize() - position;
    }

    static void check(String operation, Buf data) {
        if (data.isPlace()) return;
        throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, data + " has no data; pass a buffer", null);
    }
}
