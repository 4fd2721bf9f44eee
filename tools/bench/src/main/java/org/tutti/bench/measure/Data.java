package org.tutti.bench.measure;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BufferElement;
import org.tutti.device.DeviceBuffer;
import org.tutti.mpi.Buf;

/// A buffer of a measurement.
///
/// @param buf the buffer to send or receive
/// @param memory the same memory, for initialization and verification; empty for device memory
/// @param device the same memory if it is device memory; otherwise null
public record Data(
        Buf buf,
        MemorySegment memory,
        BufferElement type,
        long count,
        @Nullable DeviceBuffer device) {

    /// Creates a buffer in host memory.
    public Data(Buf buf, MemorySegment memory, BufferElement type, long count) {
        this(buf, memory, type, count, null);
    }

    /// Returns a buffer of the same memory, divided into blocks, one for each rank.
    public Data inBlocks(long[] counts) {
        return new Data(buf.blocks(counts), memory, type, count, device);
    }

    /// Sets element `i` to `value` of `i`.
    public void fill(LongUnaryOperator value) {
        if (device == null) {
            fill(memory, value);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(count * type.bytes(), Long.BYTES);
            fill(copy, value);
            device.copyFrom(copy, 0);
        }
    }

    private void fill(MemorySegment target, LongUnaryOperator value) {
        for (long i = 0; i < count; i++) type.put(target, i, value.applyAsLong(i));
    }

    /// Returns the number of wrong elements in the `length` elements from index `from`: element `from + i`
    /// must be equal to `value` of `i`.
    public long wrong(long from, long length, LongUnaryOperator value) {
        if (device == null) return wrong(memory, from, length, value);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(length * type.bytes(), Long.BYTES);
            device.copyTo(copy, from * type.bytes());
            return wrong(copy, 0, length, value);
        }
    }

    private long wrong(MemorySegment there, long from, long length, LongUnaryOperator value) {
        long wrong = 0;
        for (long i = 0; i < length; i++) if (!type.holds(there, from + i, value.applyAsLong(i))) wrong++;
        return wrong;
    }
}
