package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import org.tutti.train.ProcessGroup.PendingAllreduce;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.number.ShortFloats;

/// Sends `F32` gradients as `F16` or `BF16`: half the bytes, and the reduced precision of these types.
/// Gradients are divided by the number of ranks before the sum, so that a sum overflows only if a gradient
/// does; values beyond `F16`'s 65504 are reported as non-finite.
///
///     Options.DEFAULTS.withHook(new HalfPrecision(DType.BF16))
///
/// @param dtype `F16` or `BF16`
public record HalfPrecision(DType dtype) implements CommunicationHook {
    public HalfPrecision {
        if (dtype != DType.F16 && dtype != DType.BF16) {
            throw new IllegalArgumentException("gradients as " + dtype + "; F16 and BF16 are half as long as F32");
        }
    }

    @Override
    public long scratchBytes(long bucketBytes, DType bucketType) {
        return bucketType == DType.F32 ? bucketBytes / 2 : 0;
    }

    @Override
    public PendingAllreduce start(BucketSum sum) {
        if (sum.dtype() != DType.F32) return sum.startAllreduce();
        if (sum.bucket() instanceof TensorStorage.OnDevice there) {
            throw new IllegalArgumentException("HalfPrecision shortens gradients in the CPU's memory, and these are on "
                    + there.device() + "; leave the hook out there");
        }
        MemorySegment floats = sum.bucket().memory("HalfPrecision"), half = sum.scratch();
        long mark = floats.byteSize() / Float.BYTES - 1;
        int ranks = sum.group().size();
        ShortFloats.shorten(floats, half, dtype, 1.0f / ranks);
        half.setAtIndex(JAVA_SHORT, mark, ShortFloats.bits(floats.getAtIndex(JAVA_FLOAT, mark), dtype));
        PendingAllreduce pending = sum.group().startAllreduce(TensorStorage.of(half), dtype, sum.progressMode());
        return () -> {
            pending.await();
            ShortFloats.lengthen(half, floats, dtype, ranks);
            floats.setAtIndex(JAVA_FLOAT, mark, ShortFloats.value(half.getAtIndex(JAVA_SHORT, mark), dtype));
        };
    }
}
