package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.tutti.train.model.DType;

/// Loops over the numbers of `F32` and `F64` tensors. Whether all are finite is asked of their bits as
/// integers, because the largest of integers can be found many at a time, in any order.
final class Numbers {
    private Numbers() {}

    /// `to` becomes `from` times `factor`; whether all of `from` were finite.
    static boolean scale(MemorySegment from, MemorySegment to, DType type, double factor) {
        return type == DType.F32 ? floats(from, to, (float) factor) : doubles(from, to, factor);
    }

    private static boolean floats(MemorySegment from, MemorySegment to, float factor) {
        int largest = 0;
        for (long i = 0; i < to.byteSize(); i += Float.BYTES) {
            largest = Math.max(largest, from.get(JAVA_INT, i) & Integer.MAX_VALUE);
            to.set(JAVA_FLOAT, i, from.get(JAVA_FLOAT, i) * factor);
        }
        return largest < Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
    }

    private static boolean doubles(MemorySegment from, MemorySegment to, double factor) {
        long largest = 0;
        for (long i = 0; i < to.byteSize(); i += Double.BYTES) {
            largest = Math.max(largest, from.get(JAVA_LONG, i) & Long.MAX_VALUE);
            to.set(JAVA_DOUBLE, i, from.get(JAVA_DOUBLE, i) * factor);
        }
        return largest < Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);
    }

    static boolean allFinite(MemorySegment data, DType type) {
        for (long i = 0; i < data.byteSize(); i += type.bytes()) {
            if (!Double.isFinite(get(data, type, i))) return false;
        }
        return true;
    }

    /// The sum of the squares of all, in double precision and in order.
    static double squares(MemorySegment data, DType type) {
        double sum = 0;
        for (long i = 0; i < data.byteSize(); i += type.bytes()) {
            double x = get(data, type, i);
            sum += x * x;
        }
        return sum;
    }

    static double get(MemorySegment data, DType type, long at) {
        return type == DType.F32 ? data.get(JAVA_FLOAT, at) : data.get(JAVA_DOUBLE, at);
    }
}
