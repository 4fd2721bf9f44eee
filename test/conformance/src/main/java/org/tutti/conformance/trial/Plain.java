package org.tutti.conformance.trial;

import java.util.List;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Values and reductions, computed in plain Java. Elements are `long`s, as in [Box].
public final class Plain {
    public static final List<Datatype> TYPES = List.of(
            Datatype.BYTE,
            Datatype.BOOLEAN,
            Datatype.CHAR,
            Datatype.SHORT,
            Datatype.INT,
            Datatype.LONG,
            Datatype.FLOAT,
            Datatype.DOUBLE);

    public static final List<Op> OPS = List.of(
            Op.SUM, Op.PROD, Op.MIN, Op.MAX, Op.LAND, Op.LOR, Op.LXOR, Op.BAND, Op.BOR, Op.BXOR, Op.MINLOC, Op.MAXLOC);

    private Plain() {}

    /// Returns element `index` of rank `rank`. Integers have arbitrary bits and are often 0. `FLOAT` and
    /// `DOUBLE` are whole numbers from -4 to 4, so that sums and products are exact in any order.
    public static long value(Datatype type, long salt, int rank, int index) {
        long bits = mix(salt * 0x9e3779b97f4a7c15L + rank * 0x632be59bd9b4e019L + index);
        if ((bits & 7) == 0) return 0;
        bits = mix(bits);
        return switch (type.name()) {
            case "BYTE" -> (byte) bits;
            case "BOOLEAN" -> bits & 1;
            case "CHAR" -> bits & 0xffff;
            case "SHORT" -> (short) bits;
            case "INT" -> (int) bits;
            case "LONG" -> bits;
            case "FLOAT" -> Float.floatToRawIntBits(Math.floorMod(bits, 9) - 4);
            case "DOUBLE" -> Double.doubleToRawLongBits(Math.floorMod(bits, 9) - 4);
            default -> throw new IllegalArgumentException("no values of " + type);
        };
    }

    /// Returns a value that [#value] never returns for this element, to detect elements that were not written.
    /// For `BOOLEAN`, where no such value exists, returns the opposite.
    public static long other(Datatype type, long value) {
        return type == Datatype.BOOLEAN ? 1 - value : value ^ 0x55;
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /// Returns the values of ranks `0` to `size - 1`, combined in rank order.
    public static long reduced(Datatype type, Op op, long salt, int size, int index) {
        long result = value(type, salt, 0, index);
        for (int r = 1; r < size; r++) result = combine(type, op, result, value(type, salt, r, index));
        return result;
    }

    public static List<Op> opsOf(Datatype type) {
        return OPS.stream().filter(op -> op.supports(type)).toList();
    }

    private static long combine(Datatype type, Op op, long a, long b) {
        if (type == Datatype.FLOAT) {
            // rounded once, as in float arithmetic: a double has more than twice as many bits
            double result = combine(type, op, Float.intBitsToFloat((int) a), Float.intBitsToFloat((int) b));
            return Float.floatToRawIntBits((float) result);
        }
        if (type == Datatype.DOUBLE) {
            double result = combine(type, op, Double.longBitsToDouble(a), Double.longBitsToDouble(b));
            return Double.doubleToRawLongBits(result);
        }
        long result = switch (op.name()) {
            case "SUM" -> a + b;
            case "PROD" -> a * b;
            case "MIN" -> Math.min(a, b);
            case "MAX" -> Math.max(a, b);
            case "LAND" -> a != 0 && b != 0 ? 1 : 0;
            case "LOR" -> a != 0 || b != 0 ? 1 : 0;
            case "LXOR" -> (a != 0) != (b != 0) ? 1 : 0;
            case "BAND" -> a & b;
            case "BOR" -> a | b;
            case "BXOR" -> a ^ b;
            default -> throw new IllegalArgumentException(op + " of " + type);
        };
        return switch (type.name()) {
            case "BYTE" -> (byte) result;
            case "CHAR" -> result & 0xffff;
            case "SHORT" -> (short) result;
            case "INT" -> (int) result;
            default -> result;
        };
    }

    private static double combine(Datatype type, Op op, double x, double y) {
        return switch (op.name()) {
            case "SUM" -> x + y;
            case "PROD" -> x * y;
            case "MIN" -> Math.min(x, y);
            case "MAX" -> Math.max(x, y);
            default -> throw new IllegalArgumentException(op + " of " + type);
        };
    }

    static String show(Datatype type, long value) {
        if (type == Datatype.FLOAT) return String.valueOf(Float.intBitsToFloat((int) value));
        if (type == Datatype.DOUBLE) return String.valueOf(Double.longBitsToDouble(value));
        return String.valueOf(value);
    }

    /// Returns whether two values are equal. Zeros of different sign are equal, because the sign of a product
    /// of zeros is not checked.
    static boolean equal(Datatype type, long a, long b) {
        if (a == b) return true;
        if (type == Datatype.FLOAT) return Float.intBitsToFloat((int) a) == Float.intBitsToFloat((int) b);
        return type == Datatype.DOUBLE && Double.longBitsToDouble(a) == Double.longBitsToDouble(b);
    }
}
