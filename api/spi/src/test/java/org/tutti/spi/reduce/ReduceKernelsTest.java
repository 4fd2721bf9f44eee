package org.tutti.spi.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.spi.type.ElementType;

/// Every operation on every type, on every kind of memory, against the operation's definition.
class ReduceKernelsTest {
    private static final List<ElementType> TYPES = List.of(
            ElementType.BYTE,
            ElementType.BOOLEAN,
            ElementType.CHAR,
            ElementType.SHORT,
            ElementType.INT,
            ElementType.LONG,
            ElementType.FLOAT,
            ElementType.DOUBLE,
            ElementType.DOUBLE_COMPLEX,
            ElementType.FLOAT_COMPLEX,
            ElementType.DOUBLE_INT,
            ElementType.LONG_INT,
            ElementType.FLOAT_INT,
            ElementType.INT_INT);

    private static final int[] COUNTS = {0, 1, 2, 7, 16, 17, 1023, 1024, 1025};

    /// Special floating-point values, which the tests mix with random values.
    private static final double[] CORNERS = {
        0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, 1, -1
    };

    @ParameterizedTest
    @EnumSource
    void agreesWithItsDefinition(PredefinedReduction op) {
        SplittableRandom random = new SplittableRandom(op.ordinal());
        try (Arena arena = Arena.ofConfined()) {
            for (ElementType type : TYPES) {
                if (!op.supports(type)) continue;
                for (int count : COUNTS) {
                    int bytes = count * type.bytes();
                    for (MemorySegment in : memories(arena, bytes + 32)) {
                        for (MemorySegment inout : memories(arena, bytes + 32)) {
                            check(op, type, in, random.nextInt(17), inout, random.nextInt(17), count, random);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesTypesItIsNotDefinedFor(PredefinedReduction op) {
        MemorySegment memory = MemorySegment.ofArray(new long[500]);
        for (ElementType type : TYPES) {
            if (op.supports(type)) continue;
            for (int count : new int[] {1, 100}) {
                assertThatThrownBy(() -> op.apply(type, memory, 0, memory, 2000, count))
                        .hasMessage(op + " is not defined for " + type);
            }
        }
    }

    @Test
    void charIsAnUnsignedNumber() {
        char[] in = {0xffff};
        char[] inout = {1};
        PredefinedReduction.MAX.apply(
                ElementType.CHAR, MemorySegment.ofArray(in), 0, MemorySegment.ofArray(inout), 0, 1);
        assertThat(inout[0]).isEqualTo((char) 0xffff);
    }

    @Test
    void minimumOfZerosIsTheNegativeOneAndNaNStays() {
        double[] in = {0.0, Double.NaN, 1};
        double[] inout = {-0.0, 1, Double.NaN};
        PredefinedReduction.MIN.apply(
                ElementType.DOUBLE, MemorySegment.ofArray(in), 0, MemorySegment.ofArray(inout), 0, 3);
        assertThat(Double.doubleToRawLongBits(inout[0])).isEqualTo(Double.doubleToRawLongBits(-0.0));
        assertThat(inout[1]).isNaN();
        assertThat(inout[2]).isNaN();
    }

    private static List<MemorySegment> memories(Arena arena, int bytes) {
        List<MemorySegment> all = new ArrayList<>();
        all.add(arena.allocate(bytes, 64));
        all.add(MemorySegment.ofArray(new byte[bytes]));
        all.add(MemorySegment.ofArray(new int[bytes / 4 + 1]));
        all.add(MemorySegment.ofArray(new long[bytes / 8 + 1]));
        all.add(MemorySegment.ofArray(new float[bytes / 4 + 1]));
        all.add(MemorySegment.ofArray(new double[bytes / 8 + 1]));
        return all;
    }

    private static void check(
            PredefinedReduction op,
            ElementType type,
            MemorySegment in,
            long inAt,
            MemorySegment inout,
            long inoutAt,
            int count,
            SplittableRandom random) {
        MemorySegment operand = filled(type, in.byteSize(), inAt, count, random);
        MemorySegment result = filled(type, inout.byteSize(), inoutAt, count, random);
        in.copyFrom(operand);
        inout.copyFrom(result);

        op.apply(type, in, inAt, inout, inoutAt, count);

        for (long i = 0, step = type.bytes(); i < count; i++) {
            combineOne(op, type, operand, inAt + i * step, result, inoutAt + i * step);
        }
        String where = op + " " + type + " count=" + count + " " + in + "+" + inAt + " " + inout + "+" + inoutAt;
        assertThat(in.mismatch(operand)).as(where).isEqualTo(-1);
        assertThat(inout.mismatch(result)).as(where).isEqualTo(-1);
    }

    /// Returns heap memory, regardless of the kind that the kernel gets: a test loop with a single kind of
    /// memory is compiled to fast code.
    private static MemorySegment filled(ElementType type, long bytes, long at, int count, SplittableRandom random) {
        byte[] content = new byte[(int) bytes];
        random.nextBytes(content);
        MemorySegment memory = MemorySegment.ofArray(content);
        for (int i = 0; i < count; i++) {
            long place = at + (long) i * type.bytes();
            if (type == ElementType.BOOLEAN) {
                memory.set(ValueLayout.JAVA_BYTE, place, (byte) random.nextInt(2));
            } else if (type == ElementType.FLOAT) {
                memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, place, (float) number(random));
            } else if (type == ElementType.DOUBLE) {
                memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, place, number(random));
            } else if (type.isComplex()) {
                for (int part = 0; part < 2; part++) setPart(type, memory, place, part, random.nextDouble(-100, 100));
            } else if (type.isPair()) {
                fillPair(type, memory, place, random);
            } else if (random.nextInt(4) == 0) {
                for (int b = 0; b < type.bytes(); b++) memory.set(ValueLayout.JAVA_BYTE, place + b, (byte) 0);
            }
        }
        return memory;
    }

    private static double number(SplittableRandom random) {
        return random.nextInt(3) == 0 ? CORNERS[random.nextInt(CORNERS.length)] : random.nextDouble(-100, 100);
    }

    /// The definition of an operation, implemented as differently from the kernels as possible.
    private static void combineOne(
            PredefinedReduction op, ElementType type, MemorySegment in, long inAt, MemorySegment inout, long at) {
        if (type.isComplex()) {
            combineComplex(op, type, in, inAt, inout, at);
        } else if (type.isPair()) {
            combinePair(op, type, in, inAt, inout, at);
        } else if (type == ElementType.FLOAT) {
            float a = in.get(ValueLayout.JAVA_FLOAT_UNALIGNED, inAt);
            float b = inout.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            float r = op == PredefinedReduction.SUM
                    ? a + b
                    : op == PredefinedReduction.PROD ? a * b : (float) extreme(op, a, b);
            inout.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, r);
        } else if (type == ElementType.DOUBLE) {
            double a = in.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, inAt);
            double b = inout.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
            double r =
                    op == PredefinedReduction.SUM ? a + b : op == PredefinedReduction.PROD ? a * b : extreme(op, a, b);
            inout.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, r);
        } else {
            setWhole(type, inout, at, whole(op, getWhole(type, in, inAt), getWhole(type, inout, at)));
        }
    }

    private static double part(ElementType type, MemorySegment memory, long at, int part) {
        return type == ElementType.DOUBLE_COMPLEX
                ? memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at + 8L * part)
                : memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * part);
    }

    private static void setPart(ElementType type, MemorySegment memory, long at, int part, double value) {
        if (type == ElementType.DOUBLE_COMPLEX) memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at + 8L * part, value);
        else memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * part, (float) value);
    }

    private static double rounded(boolean isDouble, double value) {
        return isDouble ? value : (float) value;
    }

    private static void combineComplex(
            PredefinedReduction op, ElementType type, MemorySegment in, long inAt, MemorySegment inout, long at) {
        boolean isDouble = type == ElementType.DOUBLE_COMPLEX;
        double a = part(type, in, inAt, 0), b = part(type, in, inAt, 1);
        double c = part(type, inout, at, 0), d = part(type, inout, at, 1);
        double ac = rounded(isDouble, a * c), bd = rounded(isDouble, b * d);
        double ad = rounded(isDouble, a * d), bc = rounded(isDouble, b * c);
        setPart(type, inout, at, 0, op == PredefinedReduction.SUM ? a + c : ac - bd);
        setPart(type, inout, at, 1, op == PredefinedReduction.SUM ? b + d : ad + bc);
    }

    private static boolean hasLongValue(ElementType type) {
        return type == ElementType.DOUBLE_INT || type == ElementType.LONG_INT;
    }

    /// Values and indices with frequent duplicates.
    private static void fillPair(ElementType type, MemorySegment memory, long at, SplittableRandom random) {
        int small = random.nextInt(-2, 3);
        double corner = random.nextInt(3) == 0 ? CORNERS[random.nextInt(CORNERS.length)] : small;
        switch (type.toString()) {
            case "DOUBLE_INT" -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, corner);
            case "FLOAT_INT" -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) corner);
            case "LONG_INT" -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) small << 40);
            default -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, small);
        }
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, at + (hasLongValue(type) ? 8 : 4), random.nextInt(-3, 4));
    }

    /// Returns a `double` with the same order as the value; NaN for a value that is not a number.
    private static double rank(ElementType type, MemorySegment memory, long at) {
        return switch (type.toString()) {
            case "DOUBLE_INT" -> memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
            case "FLOAT_INT" -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case "LONG_INT" -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            default -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
        };
    }

    private static void combinePair(
            PredefinedReduction op, ElementType type, MemorySegment in, long inAt, MemorySegment inout, long at) {
        double sign = op == PredefinedReduction.MAXLOC ? 1 : -1;
        // adding 0.0 turns -0.0 into 0.0; Double.compare treats NaN as the largest value
        double a = sign * rank(type, in, inAt) + 0.0, b = sign * rank(type, inout, at) + 0.0;
        int order = Double.compare(a, b);
        int valueBytes = hasLongValue(type) ? 8 : 4;
        int place = in.get(ValueLayout.JAVA_INT_UNALIGNED, inAt + valueBytes);
        int other = inout.get(ValueLayout.JAVA_INT_UNALIGNED, at + valueBytes);
        if (order > 0) MemorySegment.copy(in, inAt, inout, at, valueBytes);
        if (order > 0 || order == 0 && place < other) {
            inout.set(ValueLayout.JAVA_INT_UNALIGNED, at + valueBytes, place);
        }
    }

    private static double extreme(PredefinedReduction op, double a, double b) {
        return op == PredefinedReduction.MIN ? Math.min(a, b) : Math.max(a, b);
    }

    private static long whole(PredefinedReduction op, long a, long b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> a < b ? a : b;
            case MAX -> a > b ? a : b;
            case LAND -> a == 0 || b == 0 ? 0 : 1;
            case LOR -> a == 0 && b == 0 ? 0 : 1;
            case LXOR -> (a == 0) == (b == 0) ? 0 : 1;
            case BAND -> ~(~a | ~b);
            case BOR -> ~(~a & ~b);
            case BXOR -> (a | b) - (a & b);
            case MINLOC, MAXLOC -> throw new IllegalArgumentException(op + " of a number");
        };
    }

    private static long getWhole(ElementType type, MemorySegment memory, long at) {
        if (type == ElementType.LONG) return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        if (type == ElementType.INT) return memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
        if (type == ElementType.SHORT) return memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
        if (type == ElementType.CHAR) return memory.get(ValueLayout.JAVA_CHAR_UNALIGNED, at);
        return memory.get(ValueLayout.JAVA_BYTE, at);
    }

    private static void setWhole(ElementType type, MemorySegment memory, long at, long value) {
        if (type == ElementType.LONG) memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
        else if (type == ElementType.INT) memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) value);
        else if (type == ElementType.SHORT) memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
        else if (type == ElementType.CHAR) memory.set(ValueLayout.JAVA_CHAR_UNALIGNED, at, (char) value);
        else memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }
}
