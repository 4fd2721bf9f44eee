package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// `SUM` and `PROD` of complex numbers. A sum of complex numbers is computed as a sum of twice as many real
/// numbers.
final class ReduceComplex {
    private ReduceComplex() {}

    static void apply(
            PredefinedReduction op,
            ElementType type,
            MemorySegment in,
            long inAt,
            MemorySegment inout,
            long inoutAt,
            long count) {
        boolean isDouble = type == ElementType.DOUBLE_COMPLEX;
        if (op == PredefinedReduction.SUM) {
            if (isDouble) ReduceDoubles.apply(op, in, inAt, inout, inoutAt, 2 * count);
            else ReduceFloats.apply(op, in, inAt, inout, inoutAt, 2 * count);
        } else if (op == PredefinedReduction.PROD) {
            if (isDouble) doubles(in, inAt, inout, inoutAt, count);
            else floats(in, inAt, inout, inoutAt, count);
        } else {
            throw ReduceKernels.undefined(op, type);
        }
    }

    private static void doubles(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        for (long i = 0; i < count; i++, inAt += 2 * Double.BYTES, inoutAt += 2 * Double.BYTES) {
            double a = Elements.getDouble(in, inAt);
            double b = Elements.getDouble(in, inAt + Double.BYTES);
            double c = Elements.getDouble(inout, inoutAt);
            double d = Elements.getDouble(inout, inoutAt + Double.BYTES);
            Elements.setDouble(inout, inoutAt, a * c - b * d);
            Elements.setDouble(inout, inoutAt + Double.BYTES, a * d + b * c);
        }
    }

    private static void floats(MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        for (long i = 0; i < count; i++, inAt += 2 * Float.BYTES, inoutAt += 2 * Float.BYTES) {
            float a = Elements.getFloat(in, inAt);
            float b = Elements.getFloat(in, inAt + Float.BYTES);
            float c = Elements.getFloat(inout, inoutAt);
            float d = Elements.getFloat(inout, inoutAt + Float.BYTES);
            Elements.setFloat(inout, inoutAt, a * c - b * d);
            Elements.setFloat(inout, inoutAt + Float.BYTES, a * d + b * c);
        }
    }
}
