package org.tutti.train.model;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// Loops over the numbers of `F32` and `F64` tensors, written so that the compiler vectorizes the loops: each
/// loop has a single task, the index is an int, and floats are not compared. To find non-finite numbers, the
/// loops compare the bits of the floats, read as integers.
final class Numbers {
    /// The length of a part, in elements.
    private static final int PART = 1 << 16;

    private Numbers() {}

    static void scale(MemorySegment data, DType type, double factor) {
        long count = data.byteSize() / type.sizeBytes();
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            if (type == DType.F32) multiplyFloats(data, at, part, (float) factor);
            else multiplyDoubles(data, at, part, factor);
        }
    }

    static boolean allFinite(MemorySegment data, DType type) {
        long count = data.byteSize() / type.sizeBytes();
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

    private static void multiplyFloats(MemorySegment data, long at, int part, float factor) {
        for (int i = 0; i < part; i++) {
            data.setAtIndex(JAVA_FLOAT, at + i, data.getAtIndex(JAVA_FLOAT, at + i) * factor);
        }
    }

    private static void multiplyDoubles(MemorySegment data, long at, int part, double factor) {
        for (int i = 0; i < part; i++) {
            data.setAtIndex(JAVA_DOUBLE, at + i, data.getAtIndex(JAVA_DOUBLE, at + i) * factor);
        }
    }

    /// Returns the sum of the squares of all numbers, in double precision.
    static double squares(MemorySegment data, DType type) {
        double even = 0, odd = 0; // two sums: an addition depends on the previous one
        long count = data.byteSize() / type.sizeBytes();
        for (long i = 0; i < count - 1; i += 2) {
            double x = get(data, type, i), y = get(data, type, i + 1);
            even += x * x;
            odd += y * y;
        }
        double last = count % 2 == 0 ? 0 : get(data, type, count - 1);
        return even + odd + last * last;
    }

    static double get(MemorySegment data, DType type, long index) {
        return type == DType.F32 ? data.getAtIndex(JAVA_FLOAT, index) : data.getAtIndex(JAVA_DOUBLE, index);
    }

    static void set(MemorySegment data, DType type, long index, double value) {
        if (type == DType.F32) data.setAtIndex(JAVA_FLOAT, index, (float) value);
        else data.setAtIndex(JAVA_DOUBLE, index, value);
    }
}
