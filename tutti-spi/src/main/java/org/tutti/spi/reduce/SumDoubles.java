package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.Elements;

/// Sums of `DOUBLE` straight from and to the memory: that of accumulates and of gradients is worth a loop for each pair
/// of the kinds of memory that users have. The casts stand where the loop is, because what the compiler knows of a kind
/// it knows of one method.
final class SumDoubles {
    private SumDoubles() {}

    /// Whether there is a loop for this kind of memory.
    static boolean takes(MemorySegment memory) {
        return Elements.NATIVE.isInstance(memory) || Elements.DOUBLES.isInstance(memory);
    }

    /// Adds `n` elements of `in` to those of `inout`.
    static void add(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        if (Elements.NATIVE.isInstance(in)) {
            if (Elements.NATIVE.isInstance(inout)) sumOfNatives(in, inAt, inout, inoutAt, n);
            else sumOfNativeAndArray(in, inAt, inout, inoutAt, n);
        } else if (Elements.NATIVE.isInstance(inout)) {
            sumOfArrayAndNative(in, inAt, inout, inoutAt, n);
        } else {
            sumOfArrays(in, inAt, inout, inoutAt, n);
        }
    }

    private static void sumOfNatives(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        MemorySegment from = Elements.NATIVE.cast(in);
        MemorySegment to = Elements.NATIVE.cast(inout);
        for (int i = 0; i < n; i++) {
            long at = (long) i * Double.BYTES;
            double a = from.get(JAVA_DOUBLE_UNALIGNED, inAt + at);
            double b = to.get(JAVA_DOUBLE_UNALIGNED, inoutAt + at);
            to.set(JAVA_DOUBLE_UNALIGNED, inoutAt + at, a + b);
        }
    }

    private static void sumOfNativeAndArray(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        MemorySegment from = Elements.NATIVE.cast(in);
        MemorySegment to = Elements.DOUBLES.cast(inout);
        for (int i = 0; i < n; i++) {
            long at = (long) i * Double.BYTES;
            double a = from.get(JAVA_DOUBLE_UNALIGNED, inAt + at);
            double b = to.get(JAVA_DOUBLE_UNALIGNED, inoutAt + at);
            to.set(JAVA_DOUBLE_UNALIGNED, inoutAt + at, a + b);
        }
    }

    private static void sumOfArrayAndNative(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        MemorySegment from = Elements.DOUBLES.cast(in);
        MemorySegment to = Elements.NATIVE.cast(inout);
        for (int i = 0; i < n; i++) {
            long at = (long) i * Double.BYTES;
            double a = from.get(JAVA_DOUBLE_UNALIGNED, inAt + at);
            double b = to.get(JAVA_DOUBLE_UNALIGNED, inoutAt + at);
            to.set(JAVA_DOUBLE_UNALIGNED, inoutAt + at, a + b);
        }
    }

    private static void sumOfArrays(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        MemorySegment from = Elements.DOUBLES.cast(in);
        MemorySegment to = Elements.DOUBLES.cast(inout);
        for (int i = 0; i < n; i++) {
            long at = (long) i * Double.BYTES;
            double a = from.get(JAVA_DOUBLE_UNALIGNED, inAt + at);
            double b = to.get(JAVA_DOUBLE_UNALIGNED, inoutAt + at);
            to.set(JAVA_DOUBLE_UNALIGNED, inoutAt + at, a + b);
        }
    }
}
