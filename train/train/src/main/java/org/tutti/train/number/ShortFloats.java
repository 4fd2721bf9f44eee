package org.tutti.train.number;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.train.model.DType;

/// 16-bit floats, for which Java and MPI have no type: `F16` as in IEEE 754, and `BF16`, the upper half of a
/// `float`. Values are rounded to nearest, ties to even.
public final class ShortFloats {
    /// A reduction with 16-bit floats as elements. The result of each addition is rounded to 16 bits.
    public static final Op SUM_F16 =
            Op.of("sum of F16", Datatype.SHORT, ShortFloats::addF16).commutative();

    public static final Op SUM_BF16 =
            Op.of("sum of BF16", Datatype.SHORT, ShortFloats::addBf16).commutative();

    private static final int PART = 1 << 16;

    private ShortFloats() {}

    public static short bits(float value, DType type) {
        return type == DType.F16 ? Float.floatToFloat16(value) : bf16(value);
    }

    public static float value(short bits, DType type) {
        return type == DType.F16 ? Float.float16ToFloat(bits) : value(bits);
    }

    private static float value(short bf16) {
        return Float.intBitsToFloat(bf16 << 16);
    }

    private static short bf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        int rounded = bits + 0x7fff + (bits >>> 16 & 1);
        // a NaN must not be rounded to infinity
        return (short) ((Float.isNaN(value) ? bits | 0x400000 : rounded) >>> 16);
    }

    /// Sets `to` to `from` times `factor`.
    public static void shorten(MemorySegment from, MemorySegment to, DType type, float factor) {
        long count = from.byteSize() / Float.BYTES;
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            if (type == DType.F16) {
                for (int i = 0; i < part; i++) {
                    float value = from.getAtIndex(JAVA_FLOAT, at + i) * factor;
                    to.setAtIndex(JAVA_SHORT, at + i, Float.floatToFloat16(value));
                }
            } else {
                for (int i = 0; i < part; i++) {
                    to.setAtIndex(JAVA_SHORT, at + i, bf16(from.getAtIndex(JAVA_FLOAT, at + i) * factor));
                }
            }
        }
    }

    /// As [#shorten], in the opposite direction.
    public static void lengthen(MemorySegment from, MemorySegment to, DType type, float factor) {
        long count = to.byteSize() / Float.BYTES;
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            if (type == DType.F16) {
                for (int i = 0; i < part; i++) {
                    float value = Float.float16ToFloat(from.getAtIndex(JAVA_SHORT, at + i));
                    to.setAtIndex(JAVA_FLOAT, at + i, value * factor);
                }
            } else {
                for (int i = 0; i < part; i++) {
                    to.setAtIndex(JAVA_FLOAT, at + i, value(from.getAtIndex(JAVA_SHORT, at + i)) * factor);
                }
            }
        }
    }

    private static void addF16(MemorySegment in, MemorySegment inout, long count) {
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            for (int i = 0; i < part; i++) {
                float sum = Float.float16ToFloat(in.getAtIndex(JAVA_SHORT_UNALIGNED, at + i))
                        + Float.float16ToFloat(inout.getAtIndex(JAVA_SHORT_UNALIGNED, at + i));
                inout.setAtIndex(JAVA_SHORT_UNALIGNED, at + i, Float.floatToFloat16(sum));
            }
        }
    }

    private static void addBf16(MemorySegment in, MemorySegment inout, long count) {
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            for (int i = 0; i < part; i++) {
                float sum = value(in.getAtIndex(JAVA_SHORT_UNALIGNED, at + i))
                        + value(inout.getAtIndex(JAVA_SHORT_UNALIGNED, at + i));
                inout.setAtIndex(JAVA_SHORT_UNALIGNED, at + i, bf16(sum));
            }
        }
    }
}
