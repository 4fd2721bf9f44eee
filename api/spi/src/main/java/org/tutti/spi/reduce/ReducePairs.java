package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// `MINLOC` and `MAXLOC`: the result is the better value with its index; if the values are equal, the lower
/// index. As with `MIN` and `MAX`, NaN is propagated, so that the result does not depend on the order.
final class ReducePairs {
    private ReducePairs() {}

    static void apply(
            PredefinedReduction op,
            ElementType type,
            MemorySegment in,
            long inAt,
            MemorySegment inout,
            long inoutAt,
            long count) {
        if (!op.supports(type)) throw ReduceKernels.undefined(op, type);
        boolean least = op == PredefinedReduction.MINLOC;
        int step = type.bytes();
        int place = placeOffset(type);
        for (long i = 0; i < count; i++, inAt += step, inoutAt += step) {
            int order = compare(type, in, inAt, inout, inoutAt, least);
            int inPlace = Elements.getInt(in, inAt + place);
            if (order < 0) {
                copyValue(type, in, inAt, inout, inoutAt);
                Elements.setInt(inout, inoutAt + place, inPlace);
            } else if (order == 0 && inPlace < Elements.getInt(inout, inoutAt + place)) {
                Elements.setInt(inout, inoutAt + place, inPlace);
            }
        }
    }

    /// Returns the offset of the index in an element.
    static int placeOffset(ElementType type) {
        return type == ElementType.DOUBLE_INT || type == ElementType.LONG_INT ? Long.BYTES : Integer.BYTES;
    }

    /// Returns a negative number if the value of `in` is better, 0 if the values are equal, and otherwise a
    /// positive number.
    private static int compare(
            ElementType type, MemorySegment in, long inAt, MemorySegment inout, long inoutAt, boolean least) {
        if (type == ElementType.DOUBLE_INT) {
            return compare(Elements.getDouble(in, inAt), Elements.getDouble(inout, inoutAt), least);
        }
        if (type == ElementType.FLOAT_INT) {
            return compare((double) Elements.getFloat(in, inAt), Elements.getFloat(inout, inoutAt), least);
        }
        int order = type == ElementType.LONG_INT
                ? Long.compare(Elements.getLong(in, inAt), Elements.getLong(inout, inoutAt))
                : Integer.compare(Elements.getInt(in, inAt), Elements.getInt(inout, inoutAt));
        return least ? order : -order;
    }

    private static int compare(double a, double b, boolean least) {
        if (Double.isNaN(a) || Double.isNaN(b)) return Boolean.compare(Double.isNaN(b), Double.isNaN(a));
        if (a == b) return 0;
        return a < b == least ? -1 : 1;
    }

    private static void copyValue(ElementType type, MemorySegment in, long inAt, MemorySegment inout, long inoutAt) {
        if (type == ElementType.DOUBLE_INT) Elements.setDouble(inout, inoutAt, Elements.getDouble(in, inAt));
        else if (type == ElementType.LONG_INT) Elements.setLong(inout, inoutAt, Elements.getLong(in, inAt));
        else if (type == ElementType.FLOAT_INT) Elements.setFloat(inout, inoutAt, Elements.getFloat(in, inAt));
        else Elements.setInt(inout, inoutAt, Elements.getInt(in, inAt));
    }
}
