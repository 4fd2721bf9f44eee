package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.Elements;

/// Sums of `DOUBLE` in an array and native memory, without copies: what an array accumulates in a window. The casts
/// stand where the loops are, because what the compiler knows of a kind of memory it knows of one method.
final class SumDoubles {
    /// In elements: an index stays an int.
    private static final int PART = 1 << 20;

    private SumDoubles() {}

    /// Adds `count` elements of `in` to those of `inout`, where one is an array and the other one native; else false.
    static boolean add(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        boolean toNative = Elements.DOUBLES.isInstance(in) && Elements.NATIVE.isInstance(inout);
        if (!toNative && !(Elements.NATIVE.isInstance(in) && Elements.DOUBLES.isInstance(inout))) return false;
        for (long done = 0; done < count; done += PART) {
            int n = (int) Math.min(PART, count - done);
            long at = done * Double.BYTES;
            if (toNative) addToNative(in, inAt + at, inout, inoutAt + at, n);
            else addToArray(in, inAt + at, inout, inoutAt + at, n);
        }
        return true;
    }

    private static void addToNative(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        MemorySegment from = Elements.DOUBLES.cast(in);
        MemorySegment to = Elements.NATIVE.cast(inout);
        for (int i = 0; i < n; i++) {
            long at = (long) i * Double.BYTES;
            double a = from.get(JAVA_DOUBLE_UNALIGNED, inAt + at);
            double b = to.get(JAVA_DOUBLE_UNALIGNED, inoutAt + at);
            to.set(JAVA_DOUBLE_UNALIGNED, inoutAt + at, a + b);
        }
    }

    private static void addToArray(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, int n) {
        MemorySegment from = Elements.NATIVE.cast(in);
        MemorySegment to = Elements.DOUBLES.cast(inout);
        for (int i = 0; i < n; i++) {
            long at = (long) i * Double.BYTES;
            double a = from.get(JAVA_DOUBLE_UNALIGNED, inAt + at);
            double b = to.get(JAVA_DOUBLE_UNALIGNED, inoutAt + at);
            to.set(JAVA_DOUBLE_UNALIGNED, inoutAt + at, a + b);
        }
    }
}
