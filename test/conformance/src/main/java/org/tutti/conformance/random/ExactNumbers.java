package org.tutti.conformance.random;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.mpi.Datatype;

/// Elements with a sum, minimum and maximum that is bitwise independent of the order: whole numbers, which are
/// small in floating-point types.
final class ExactNumbers {
    private static final int SMALL = 1 << 20;

    private ExactNumbers() {}

    /// A part of an element that needs a special value: a number, the index of a pair, or padding.
    private record Part(Datatype type, int at) {}

    /// Returns the parts that need a special value. The list is empty for types in which every bit pattern is a
    /// whole number.
    private static List<Part> parts(Datatype type) {
        return switch (type.name()) {
            case "FLOAT" -> List.of(new Part(Datatype.FLOAT, 0));
            case "DOUBLE" -> List.of(new Part(Datatype.DOUBLE, 0));
            case "FLOAT_COMPLEX" -> List.of(new Part(Datatype.FLOAT, 0), new Part(Datatype.FLOAT, 4));
            case "DOUBLE_COMPLEX" -> List.of(new Part(Datatype.DOUBLE, 0), new Part(Datatype.DOUBLE, 8));
            case "FLOAT_INT" -> List.of(new Part(Datatype.FLOAT, 0), new Part(Datatype.INT, 4));
            case "DOUBLE_INT" ->
                List.of(new Part(Datatype.DOUBLE, 0), new Part(Datatype.INT, 8), new Part(Datatype.PACKED, 12));
            case "LONG_INT" -> List.of(new Part(Datatype.PACKED, 12));
            case "BOOLEAN" -> List.of(new Part(Datatype.BOOLEAN, 0));
            default -> List.of();
        };
    }

    /// Changes arbitrary bytes into exact numbers.
    static void fill(SplittableRandom r, Datatype type, MemorySegment data) {
        for (long at = 0; at + type.extent() <= data.byteSize(); at += type.extent()) {
            for (Part p : parts(type)) {
                switch (p.type.name()) {
                    case "FLOAT" -> data.set(JAVA_FLOAT_UNALIGNED, at + p.at, r.nextInt(-4, 5));
                    case "DOUBLE" -> data.set(JAVA_DOUBLE_UNALIGNED, at + p.at, r.nextInt(-4, 5));
                    case "INT" -> data.set(JAVA_INT_UNALIGNED, at + p.at, r.nextInt(10));
                    case "BOOLEAN" -> data.set(JAVA_BYTE, at + p.at, (byte) r.nextInt(2));
                    default -> data.set(JAVA_INT_UNALIGNED, at + p.at, 0);
                }
            }
        }
    }

    /// Returns whether all elements are exact numbers.
    static boolean are(Datatype type, MemorySegment data) {
        for (long at = 0; at + type.extent() <= data.byteSize(); at += type.extent()) {
            for (Part p : parts(type)) {
                boolean is = switch (p.type.name()) {
                    case "FLOAT" -> isSmall(data.get(JAVA_FLOAT_UNALIGNED, at + p.at));
                    case "DOUBLE" -> isSmall(data.get(JAVA_DOUBLE_UNALIGNED, at + p.at));
                    case "INT" -> true;
                    case "BOOLEAN" -> (data.get(JAVA_BYTE, at + p.at) & ~1) == 0;
                    default -> data.get(JAVA_INT_UNALIGNED, at + p.at) == 0;
                };
                if (!is) return false;
            }
        }
        return true;
    }

    /// Returns whether `x` is a small whole number. Negative zero is excluded: a sum of zeros depends on the
    /// order.
    private static boolean isSmall(double x) {
        return Math.abs(x) < SMALL && x == Math.rint(x) && (x != 0 || 1 / x > 0);
    }
}
