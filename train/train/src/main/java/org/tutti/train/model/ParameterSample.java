package org.tutti.train.model;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// A hash of some numbers of some parameters, which is cheap enough for each step. Some numbers suffice,
/// because an optimizer's step changes nearly all numbers of a model. Used by
/// [DataParallelModel#parameterVersion].
public final class ParameterSample {
    /// The maximum number of parameters to read.
    public static final int MAX_PARAMETERS = 64;

    private static final int NUMBERS = 8;
    private static final long PRIME = 0x9E3779B185EBCA87L;

    private ParameterSample() {}

    /// Returns the hash; parameters on a device do not contribute.
    public static long hash(List<Tensor> parameters) {
        long hash = 0;
        int chosen = Math.min(MAX_PARAMETERS, parameters.size());
        for (int k = 0; k < chosen; k++) {
            Tensor parameter = parameters.get((int) ((long) k * parameters.size() / chosen));
            if (!(parameter.storage() instanceof TensorStorage.OnCpu(MemorySegment memory))) continue;
            hash = hash(hash, memory, parameter.spec());
        }
        return hash;
    }

    private static long hash(long before, MemorySegment memory, TensorSpec spec) {
        long hash = before, count = spec.count();
        int each = spec.dtype().sizeBytes();
        long chosen = Math.min(NUMBERS, count);
        for (long k = 0; k < chosen; k++) {
            long at = (chosen == 1 ? 0 : k * (count - 1) / (chosen - 1)) * each;
            long bits = 0;
            for (int b = 0; b < each; b++) bits = bits << Byte.SIZE | memory.get(JAVA_BYTE, at + b) & 0xFF;
            hash = Long.rotateLeft(hash ^ bits * PRIME, 31) * PRIME;
        }
        return hash;
    }
}
