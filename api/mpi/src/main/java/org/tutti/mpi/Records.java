package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Memory as an array of records in the layout of [Datatype#ofRecord], like `struct particle p[n]` in a C
/// program. A record is created when it is read, and copied when it is set.
///
///     Records<Particle> all = Records.of(mpi.alloc(n * Records.sizeBytes(Particle.class)), Particle.class);
///     all.set(0, new Particle(1, 2, 3));
///     world.send(all.buf(), 1);
///
/// All methods are local. MPI 4.1, section 5.1.2.
///
/// @param <R> the record
public final class Records<R extends Record> {
    private final MemorySegment memory;
    private final Class<R> type;
    private final RecordShape shape;
    private final long stride;

    private Records(MemorySegment memory, Class<R> type) {
        this.memory = memory;
        this.type = type;
        shape = RecordShape.of(Arguments.given("Records.of", "type", type));
        stride = shape.type().extent();
    }

    /// Returns the distance between two records, in bytes.
    ///
    /// @throws MpiException `ERR_TYPE` if a component is not a primitive or a record of primitives
    public static long sizeBytes(Class<? extends Record> type) {
        return RecordShape.of(Arguments.given("Records.sizeBytes", "type", type))
                .type()
                .extent();
    }

    /// Returns a view of `memory`, which must have the size of a whole number of records.
    ///
    /// @throws MpiException `ERR_TYPE` if a component is not a primitive or a record of primitives;
    ///     `ERR_BUFFER` if the memory does not contain a whole number of records
    public static <R extends Record> Records<R> of(MemorySegment memory, Class<R> type) {
        long each = sizeBytes(type);
        if (memory.byteSize() % each == 0) return new Records<>(memory, type);
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "Records",
                "a segment of " + memory.byteSize() + " bytes is not a whole number of " + type.getSimpleName() + " of "
                        + each + " bytes",
                null);
    }

    /// Returns the number of records.
    public long count() {
        return memory.byteSize() / stride;
    }

    /// Returns a new record with the content at `index`.
    ///
    /// @throws IndexOutOfBoundsException if the index is out of range
    public R get(long index) {
        return type.cast(shape.read(false, memory, index(index)));
    }

    /// Copies the components of `value` to `index`.
    ///
    /// @throws IndexOutOfBoundsException if the index is out of range
    public void set(long index, R value) {
        shape.write(false, memory, index(index), value);
    }

    private long index(long index) {
        if (index < 0 || index >= count()) {
            throw new IndexOutOfBoundsException("record " + index + " of " + count());
        }
        return index * stride;
    }

    /// Returns a buffer of all records, for a send or a receive. Gaps are not changed.
    public Buf buf() {
        return buf(0, count());
    }

    /// Returns a buffer of `count` records, starting at `offset`, for a send or a receive.
    ///
    /// @throws MpiException `ERR_BUFFER` if the range exceeds the number of records
    public Buf buf(long offset, long count) {
        if (offset >= 0 && count >= 0 && offset <= count() - count) {
            return BufMaker.of(memory, Datatype.BYTE, offset * stride, count, shape.type());
        }
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "Records",
                "offset=" + offset + ", count=" + count + " are not within the " + count() + " records",
                null);
    }
}
