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
        return type == DType.F32 ? floats(from, to, (float) factor) : doubles(from, to, factor);
    }

    private static boolean floats(MemorySegment from, MemorySegment to, float factor) {
        int largest = 0;
        long count = to.byteSize() / Float.BYTES;
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            for (int i = 0; i < part; i++) {
                largest = Math.max(largest, from.getAtIndex(JAVA_INT, at + i) & Integer.MAX_VALUE);
            }
            for (int i = 0; i < part; i++) {
                to.setAtIndex(JAVA_FLOAT, at + i, from.getAtIndex(JAVA_FLOAT, at + i) * factor);
            }
        }
        return largest < Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
    }

    private static boolean doubles(MemorySegment from, MemorySegment to, double factor) {
        long largest = 0;
        long count = to.byteSize() / Double.BYTES;
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            for (int i = 0; i < part; i++) {
                largest = Math.max(largest, from.getAtIndex(JAVA_LONG, at + i) & Long.MAX_VALUE);
            }
            for (int i = 0; i < part; i++) {
                to.setAtIndex(JAVA_DOUBLE, at + i, from.getAtIndex(JAVA_DOUBLE, at + i) * factor);
            }
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
