package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import org.tutti.train.ProcessGroup.Pending;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;

/// `F32` gradients travel as `F16` or `BF16`, in half the bytes and with the few digits of these. Each is
/// divided by the number of ranks on the way, so that no sum overflows where no gradient does; what is
/// beyond `F16`'s 65504 is reported as any other number that is not finite.
///
///     Options.USUAL.withHook(new HalfPrecision(DType.BF16))
///
/// @param travelling `F16` or `BF16`
public record HalfPrecision(DType travelling) implements CommunicationHook {
    public HalfPrecision {
        if (travelling != DType.F16 && travelling != DType.BF16) {
            throw new IllegalArgumentException("gradients as " + travelling + "; F16 and BF16 are half as long as F32");
        }
    }

    @Override
    public long scratchBytes(long bucketBytes, DType type) {
        return type == DType.F32 ? bucketBytes / 2 : 0;
    }

    @Override
    public Pending start(Sum sum) {
        if (sum.type() != DType.F32) return ALLREDUCE.start(sum);
        if (sum.bucket() instanceof TensorStorage.OnDevice there) {
            throw new IllegalArgumentException("HalfPrecision shortens gradients in the CPU's memory, and these are on "
                    + there.device() + "; leave the hook out there");
        }
        MemorySegment floats = sum.bucket().memory("HalfPrecision"), half = sum.scratch();
        long mark = floats.byteSize() / Float.BYTES - 1;
        int ranks = sum.group().size();
        ShortFloats.shorten(floats, half, travelling, 1.0f / ranks);
        half.setAtIndex(JAVA_SHORT, mark, ShortFloats.bits(floats.getAtIndex(JAVA_FLOAT, mark), travelling));
        Pending pending = sum.group().startAllreduce(TensorStorage.of(half), travelling, sum.busily());
        return () -> {
            pending.await();
            ShortFloats.lengthen(half, floats, travelling, ranks);
            floats.setAtIndex(JAVA_FLOAT, mark, ShortFloats.value(half.getAtIndex(JAVA_SHORT, mark), travelling));
        };
    }
}
