package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.Arrays;
import java.util.Objects;
import org.tutti.mpi.Buf;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.dropin.LastBuffer;
import org.tutti.mpi.dropin.RawBuffers;

/// Describes the data of a call to Tutti: an array, a NIO buffer on the heap, which starts at an offset of its
/// array, or a direct buffer, of which only the address is known. Memory is untyped: the datatype defines the
/// contents, independently of the array's class.
final class Data {
    static final byte[] NOTHING = {};
    private static final Buf EMPTY = Buf.buf(NOTHING);

    private static final ThreadLocal<LastBuffer> SENT = ThreadLocal.withInitial(LastBuffer::new);
    private static final ThreadLocal<LastBuffer> RECEIVED = ThreadLocal.withInitial(LastBuffer::new);

    private Data() {}

    /// Returns a send buffer.
    static Buf out(Object data, int count, Datatype type) throws MPIException {
        return last(SENT.get(), data, count, type);
    }

    /// Returns a receive buffer.
    static Buf in(Object data, int count, Datatype type) throws MPIException {
        return last(RECEIVED.get(), data, count, type);
    }

    private static Buf last(LastBuffer last, Object data, int count, Datatype type) throws MPIException {
        type.checkUsable(); // may have been freed since the last call
        Buf known = last.find(data, 0, count, type);
        return known != null ? known : last.keep(data, 0, count, type, of(data, count, type));
    }

    /// As [#out], not cached.
    static Buf of(Object data, long count, Datatype type) throws MPIException {
        return at(data, 0, count, type);
    }

    /// Returns a buffer from byte `offset`. If `count` is 0, any data is accepted.
    static Buf at(Object data, long offset, long count, Datatype type) throws MPIException {
        type.checkUsable();
        if (count == 0) return EMPTY;
        try {
            if (data instanceof boolean[]) return RawBuffers.bytes(data, offset, count * type.scale, type.bytes);
            MemorySegment part = memory(data);
            if (type.bytes.trueLowerBound() < 0 && data instanceof Buffer b) {
                // an element may begin before the start of a slice, as it may begin before the passed address
                // in C
                MemorySegment whole = RawBuffers.enclosing(b);
                long before = RawBuffers.offset(b, part, whole);
                return RawBuffers.bytes(whole, before + offset, count * type.scale, type.bytes);
            }
            return RawBuffers.bytes(part, offset, count * type.scale, type.bytes);
        } catch (IndexOutOfBoundsException e) {
            throw outside(data, count, type);
        } catch (MpiException e) {
            if (count < 0 || e.errorClass() == ErrorClass.ERR_BUFFER) throw outside(data, count, type);
            throw e;
        }
    }

    /// Returns the operand of a reduction. The elements have the type for reductions; if `type` has none, they
    /// are bytes.
    static Buf operand(Object data, long count, Datatype type) throws MPIException {
        type.checkUsable();
        org.tutti.mpi.Datatype of = type.reduced != null ? type.reduced : type.bytes;
        Object memory = count == 0 ? NOTHING : data;
        try {
            if (memory instanceof boolean[]) return RawBuffers.bytes(memory, 0, count * type.extentBytes(), of);
            MemorySegment all = memory(memory);
            long bytes = count * type.extentBytes();
            return of.isPredefined() ? Buf.buf(all.asSlice(0, bytes), of) : Buf.buf(all, 0, count, of);
        } catch (IndexOutOfBoundsException e) {
            throw outside(data, count, type);
        } catch (MpiException e) {
            if (count < 0 || e.errorClass() == ErrorClass.ERR_BUFFER) throw outside(data, count, type);
            throw e;
        }
    }

    /// Returns a buffer with the real type, for files in the representation `external32`.
    static Buf real(Object data, long count, Datatype type) throws MPIException {
        type.checkUsable();
        MemorySegment all = memory(count == 0 ? NOTHING : data);
        try {
            return type.real.isPredefined()
                    ? Buf.buf(all.asSlice(0, count * type.extentBytes()), type.real)
                    : Buf.buf(all, 0, count, type.real);
        } catch (IndexOutOfBoundsException e) {
            throw outside(data, count, type);
        }
    }

    private static RuntimeException outside(Object data, long count, Datatype type) throws MPIException {
        if (count < 0) throw new Mistake(MPI.ERR_COUNT, "MPI_ERR_COUNT: count=" + count + " is negative");
        return new ArrayIndexOutOfBoundsException("count=" + count + " of " + name(type) + " reach beyond a buffer of "
                + memory(data == null ? NOTHING : data).byteSize() + " bytes");
    }

    static String name(Datatype type) throws MPIException {
        String name = type.getName();
        return name.isEmpty() ? "a derived type" : name;
    }

    private static MemorySegment memory(Object data) {
        return data instanceof Buffer b
                ? RawBuffers.whole(b)
                : RawBuffers.segment(Objects.requireNonNull(data, "the buffer is null"));
    }

    /// Returns a block for each of `many` ranks, `counts[r]` elements from element `displacements[r]`.
    static Buf blocks(Object data, int[] counts, int[] displacements, int many, Datatype type) throws MPIException {
        checkBlocks(counts, displacements, many);
        long end = 0;
        for (int r = 0; r < many; r++) if (counts[r] != 0) end = Math.max(end, (long) displacements[r] + counts[r]);
        long[] scaled = new long[many];
        long[] at = new long[many];
        for (int r = 0; r < many; r++) {
            scaled[r] = (long) counts[r] * type.scale;
            at[r] = counts[r] == 0 ? 0 : (long) displacements[r] * type.scale;
        }
        return of(end == 0 ? NOTHING : data, end, type).blocks(scaled, at);
    }

    private static void checkBlocks(int[] counts, int[] displacements, int many) throws MPIException {
        if (counts.length < many || displacements.length < many) {
            throw new ArrayIndexOutOfBoundsException("there are " + counts.length + " counts and "
                    + displacements.length + " displacements for " + many + " blocks");
        }
        for (int r = 0; r < many; r++) {
            if (counts[r] < 0) {
                throw new Mistake(
                        MPI.ERR_COUNT, "MPI_ERR_COUNT: count=" + counts[r] + " of block " + r + " is negative");
            }
            if (counts[r] > 0 && displacements[r] < 0) {
                throw new ArrayIndexOutOfBoundsException(
                        "displacement=" + displacements[r] + " of block " + r + " is before the buffer");
            }
        }
    }

    /// Returns the operands of a reduce-scatter: contiguous blocks, one for each rank.
    static Buf operands(Object data, int[] counts, int many, Datatype type) throws MPIException {
        int[] used = Arrays.copyOf(counts, many);
        long all = 0;
        for (int count : used) all += count;
        long each = type.reduced == org.tutti.mpi.Datatype.BYTE ? type.extentBytes() : 1;
        long[] blocks = new long[many];
        for (int r = 0; r < many; r++) blocks[r] = used[r] * each;
        return operand(data, all, type).blocks(blocks);
    }

    /// Returns a copy in a separate array, for a call that sends from the receive buffer.
    static Buf copy(Buf buf) {
        byte[] packed = new org.tutti.mpi.Packer().add(buf).toByteArray();
        return Buf.buf(packed);
    }

    /// @throws IllegalArgumentException if `buffer` is on the heap and `count` is not 0; null is accepted, as an
    ///     empty buffer
    static void checkDirect(Buffer buffer, int count) {
        if (count == 0 || buffer == null || buffer.isDirect()) return;
        throw new IllegalArgumentException(
                "the buffer is on the heap; this call requires a direct buffer: MPI.new…Buffer");
    }

    static long[] longs(int[] numbers) {
        return Arrays.stream(numbers).asLongStream().toArray();
    }
}
