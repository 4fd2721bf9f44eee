package org.tutti.bench.measure;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BufferElement;
import org.tutti.device.DeviceBuffer;
import org.tutti.mpi.Buf;

/// A buffer to measure with.
///
/// @param buf what is sent or received
/// @param memory the same memory, for filling it and looking at it; none of a device's
/// @param device the same memory, where it is a device's; else null
public record Data(
        Buf buf,
        MemorySegment memory,
        BufferElement type,
        long count,
        @Nullable DeviceBuffer device) {

    /// Of memory of the host.
    public Data(Buf buf, MemorySegment memory, BufferElement type, long count) {
        this(buf, memory, type, count, null);
    }

    /// The same memory, sent and received in blocks, one for each rank.
    public Data inBlocks(long[] counts) {
        return new Data(buf.blocks(counts), memory, type, count, device);
    }

    /// Makes element `i` what `value` says of it.
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

    /// How many of the `length` elements from `from` on are not what `value` says of them, the first
    /// being its 0.
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
