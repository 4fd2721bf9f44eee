package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.device.ElementwiseOp.Unary;
import org.tutti.mpi.Datatype;

/// [ArrayKernels] in Java. Float elements are computed as doubles; for a single operation, the final rounding
/// gives the same result as a kernel.
final class HostArrays {
    private static final int M0 = 0xD2511F53, M1 = 0xCD9E8D57, W0 = 0x9E3779B9, W1 = 0xBB67AE85, ROUNDS = 10;

    private HostArrays() {}

    /// A buffer to which Java code has access, with elements as doubles or longs.
    private record View(MemorySegment memory, Datatype type, long count) {
        View(DeviceBuffer buffer) {
            this(buffer.segment(), buffer.type(), buffer.count());
        }

        boolean isFloating() {
            return type == Datatype.FLOAT || type == Datatype.DOUBLE;
        }

        double getDouble(long i) {
            return type == Datatype.FLOAT
                    ? memory.getAtIndex(ValueLayout.JAVA_FLOAT, i)
                    : memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
        }

        void set(long i, double value) {
            if (type == Datatype.FLOAT) memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
            else memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
        }

        long getLong(long i) {
            return type == Datatype.INT
                    ? memory.getAtIndex(ValueLayout.JAVA_INT, i)
                    : memory.getAtIndex(ValueLayout.JAVA_LONG, i);
        }

        void set(long i, long value) {
            if (type == Datatype.INT) memory.setAtIndex(ValueLayout.JAVA_INT, i, (int) value);
            else memory.setAtIndex(ValueLayout.JAVA_LONG, i, value);
        }
    }

    static void axpy(double a, DeviceBuffer x, DeviceBuffer y) {
        View from = new View(x), to = new View(y);
        double factor = x.type() == Datatype.FLOAT ? (float) a : a;
        for (long i = 0; i < to.count(); i++) {
            if (to.isFloating()) to.set(i, to.getDouble(i) + factor * from.getDouble(i));
            else to.set(i, to.getLong(i) + (long) a * from.getLong(i));
        }
    }

    static void scale(double a, DeviceBuffer x) {
        View of = new View(x);
        double factor = x.type() == Datatype.FLOAT ? (float) a : a;
        for (long i = 0; i < of.count(); i++) {
            if (of.isFloating()) of.set(i, factor * of.getDouble(i));
            else of.set(i, (long) a * of.getLong(i));
        }
    }

    static void range(double first, double step, DeviceBuffer out) {
        View to = new View(out);
        boolean isFloat = out.type() == Datatype.FLOAT;
        for (long i = 0; i < to.count(); i++) {
            if (!to.isFloating()) to.set(i, (long) first + i * (long) step);
            else to.set(i, isFloat ? (float) first + (double) (float) i * (float) step : first + i * step);
        }
    }

    static void apply(Binary op, DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
        View a = new View(x), b = new View(y), to = new View(out);
        for (long i = 0; i < to.count(); i++) {
            if (to.isFloating()) to.set(i, op.of(a.getDouble(i), b.getDouble(i)));
            else to.set(i, op.of(a.getLong(i), b.getLong(i)));
        }
    }

    static void apply(Unary op, DeviceBuffer x, DeviceBuffer out) {
        View from = new View(x), to = new View(out);
        for (long i = 0; i < to.count(); i++) {
            if (to.isFloating()) to.set(i, op.of(from.getDouble(i)));
            else to.set(i, op.of(from.getLong(i)));
        }
    }

    static void reduce(String op, DeviceBuffer x, DeviceBuffer out) {
        Binary each = op.equals("sum") ? Binary.ADD : op.equals("min") ? Binary.MINIMUM : Binary.MAXIMUM;
        View from = new View(x), to = new View(out);
        if (to.isFloating()) {
            double all = from.getDouble(0);
            for (long i = 1; i < from.count(); i++) all = each.of(all, from.getDouble(i));
            to.set(0, all);
        } else {
            long all = from.getLong(0);
            for (long i = 1; i < from.count(); i++) all = each.of(all, from.getLong(i));
            to.set(0, all);
        }
    }

    static void transpose(int rows, int columns, DeviceBuffer x, DeviceBuffer out) {
        View from = new View(x), to = new View(out);
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < columns; c++) {
                long at = (long) r * columns + c, there = (long) c * rows + r;
                if (to.isFloating()) to.set(there, from.getDouble(at));
                else to.set(there, from.getLong(at));
            }
        }
    }

    static void matmul(int rows, int columns, int inner, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c) {
        View left = new View(a), right = new View(b), to = new View(c);
        for (int r = 0; r < rows; r++) {
            for (int column = 0; column < columns; column++) {
                double sum = 0;
                long integers = 0;
                for (int k = 0; k < inner; k++) {
                    long l = (long) r * inner + k, m = (long) k * columns + column;
                    if (to.isFloating()) sum += left.getDouble(l) * right.getDouble(m);
                    else integers += left.getLong(l) * right.getLong(m);
                }
                if (to.isFloating()) to.set((long) r * columns + column, sum);
                else to.set((long) r * columns + column, integers);
            }
        }
    }

    static void uniform(DeviceBuffer out, long seed, long first) {
        View to = new View(out);
        for (long i = 0; i < to.count(); i++) to.set(i, uniform(out.type(), first + i, seed));
    }

    static void normal(DeviceBuffer out, long seed, long first) {
        View to = new View(out);
        for (long i = 0; i < to.count(); i++) {
            long e = first + i, pair = Long.divideUnsigned(e, 2) * 2;
            double radius = Math.sqrt(-2 * Math.log(1 - uniform(out.type(), pair, seed)));
            double angle = 2 * Math.PI * uniform(out.type(), pair + 1, seed);
            to.set(i, radius * ((e & 1) == 0 ? Math.cos(angle) : Math.sin(angle)));
        }
    }

    /// Returns element `e` of the sequence: it has 24 random bits for a float, and 53 for a double.
    private static double uniform(Datatype type, long e, long seed) {
        if (type == Datatype.FLOAT) return (philox(e >>> 2, (int) (e & 3), seed) >>> 8) * 0x1p-24;
        int word = (int) (e & 1) * 2;
        long high = Integer.toUnsignedLong(philox(e >>> 1, word, seed)) >>> 5;
        long low = Integer.toUnsignedLong(philox(e >>> 1, word + 1, seed)) >>> 6;
        return ((high << 26) + low) * 0x1p-53;
    }

    /// Philox4x32-10 (Salmon et al., SC'11): returns one of the four 32-bit results for a counter.
    static int philox(long counter, int word, long seed) {
        int c0 = (int) counter, c1 = (int) (counter >>> 32), c2 = 0, c3 = 0;
        int k0 = (int) seed, k1 = (int) (seed >>> 32);
        for (int round = 0; round < ROUNDS; round++) {
            int h0 = high(M0, c0), l0 = M0 * c0, h1 = high(M1, c2), l1 = M1 * c2;
            c0 = h1 ^ c1 ^ k0;
            c1 = l1;
            c2 = h0 ^ c3 ^ k1;
            c3 = l0;
            k0 += W0;
            k1 += W1;
        }
        return switch (word) {
            case 0 -> c0;
            case 1 -> c1;
            case 2 -> c2;
            default -> c3;
        };
    }

    private static int high(int a, int b) {
        return (int) (Integer.toUnsignedLong(a) * Integer.toUnsignedLong(b) >>> 32);
    }
}
