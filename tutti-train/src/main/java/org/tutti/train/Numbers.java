package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.tutti.train.model.DType;

/// Loops over the numbers of `F32` and `F64` tensors, written so that the compiler does many at a time: it
/// does when a loop does one thing, its index is an int, and floats are not compared. Whether all are finite
/// is asked of their bits as integers, of a part that is still in the cache.
final class Numbers {
    /// In elements.
    private static final int PART = 2048;

    private Numbers() {}

    /// `to` becomes `from` times `factor`; whether all of `from` were finite.
    static boolean scale(MemorySegment from, MemorySegment to, DType type, double factor) {
        boolean finite = true;
        long count = to.byteSize() / type.bytes();
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            if (type == DType.F32) {
                finite &= areFiniteFloats(from, at, part);
                multiplyFloats(from, to, at, part, (float) factor);
            } else {
                finite &= areFiniteDoubles(from, at, part);
                multiplyDoubles(from, to, at, part, factor);
            }
        }
        return finite;
    }

    static boolean allFinite(MemorySegment data, DType type) {
        long count = data.byteSize() / type.bytes();
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            if (!(type == DType.F32 ? areFiniteFloats(data, at, part) : areFiniteDoubles(data, at, part))) return false;
        }
        return true;
    }

    private static boolean areFiniteFloats(MemorySegment data, long at, int part) {
        int largest = 0;
        for (int i = 0; i < part; i++) {
            largest = Math.max(largest, data.getAtIndex(JAVA_INT, at + i) & Integer.MAX_VALUE);
        }
        return largest < Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
    }

    private static boolean areFiniteDoubles(MemorySegment data, long at, int part) {
        long largest = 0;
        for (int i = 0; i < part; i++) {
            largest = Math.max(largest, data.getAtIndex(JAVA_LONG, at + i) & Long.MAX_VALUE);
        }
        return largest < Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);
    }

    private static void multiplyFloats(MemorySegment from, MemorySegment to, long at, int part, float factor) {
        for (int i = 0; i < part; i++) {
            to.setAtIndex(JAVA_FLOAT, at + i, from.getAtIndex(JAVA_FLOAT, at + i) * factor);
        }
    }

    private static void multiplyDoubles(MemorySegment from, MemorySegment to, long at, int part, double factor) {
        for (int i = 0; i < part; i++) {
            to.setAtIndex(JAVA_DOUBLE, at + i, from.getAtIndex(JAVA_DOUBLE, at + i) * factor);
        }
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
