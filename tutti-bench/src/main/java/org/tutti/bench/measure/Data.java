package org.tutti.bench.measure;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;
import org.tutti.bench.plan.BufferElement;
import org.tutti.bench.plan.Storage;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Mpi;

/// A buffer to measure with.
///
/// @param buf what is sent or received
/// @param memory the same memory, for filling it and looking at it
public record Data(Buf buf, MemorySegment memory, BufferElement type, long count) {

    public static Data of(Mpi mpi, Storage storage, BufferElement type, long count) {
        return switch (storage) {
            case HEAP -> heap(type, Math.toIntExact(count));
            case SEGMENT -> {
                MemorySegment memory = mpi.alloc(Math.multiplyExact(count, type.bytes()));
                yield new Data(Buf.buf(memory, type.datatype()), memory, type, count);
            }
            case DIRECT -> {
                int bytes = Math.toIntExact(Math.multiplyExact(count, type.bytes()));
                MemorySegment memory = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes));
                yield new Data(Buf.buf(memory, type.datatype()), memory, type, count);
            }
            case OBJECT -> throw new IllegalArgumentException("objects have no buffer");
        };
    }

    private static Data heap(BufferElement type, int count) {
        return switch (type) {
            case BYTE -> {
                byte[] a = new byte[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case INT -> {
                int[] a = new int[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case LONG -> {
                long[] a = new long[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case FLOAT -> {
                float[] a = new float[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
            case DOUBLE -> {
                double[] a = new double[count];
                yield new Data(Buf.buf(a), MemorySegment.ofArray(a), type, count);
            }
        };
    }

    /// The same memory, sent and received in blocks, one for each rank.
    public Data inBlocks(long[] counts) {
        return new Data(buf.blocks(counts), memory, type, count);
    }

    /// Makes element `i` what `value` says of it.
    public void fill(LongUnaryOperator value) {
        for (long i = 0; i < count; i++) type.put(memory, i, value.applyAsLong(i));
    }

    /// How many of the `length` elements from `from` on are not what `value` says of them, the first
    /// being its 0.
    public long wrong(long from, long length, LongUnaryOperator value) {
        long wrong = 0;
        for (long i = 0; i < length; i++) if (!type.holds(memory, from + i, value.applyAsLong(i))) wrong++;
        return wrong;
    }
}
