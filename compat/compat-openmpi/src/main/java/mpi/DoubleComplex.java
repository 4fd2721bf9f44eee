package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;

/// A complex number in memory: a view of two consecutive `double`s.
public final class DoubleComplex {
    private final DoubleBuffer parts;

    private DoubleComplex(DoubleBuffer all, int index) {
        parts = all.slice(2 * index, 2);
    }

    public static DoubleComplex get(double[] array) {
        return get(array, 0);
    }

    public static DoubleComplex get(double[] array, int index) {
        return new DoubleComplex(DoubleBuffer.wrap(array), index);
    }

    public static DoubleComplex get(DoubleBuffer buffer) {
        return get(buffer, 0);
    }

    public static DoubleComplex get(DoubleBuffer buffer, int index) {
        return new DoubleComplex(buffer.duplicate().clear(), index);
    }

    public static DoubleComplex get(ByteBuffer buffer) {
        return get(buffer, 0);
    }

    public static DoubleComplex get(ByteBuffer buffer, int index) {
        ByteBuffer all = buffer.duplicate().clear().order(ByteOrder.nativeOrder());
        return new DoubleComplex(all.asDoubleBuffer(), index);
    }

    public double getReal() {
        return parts.get(0);
    }

    public double getImag() {
        return parts.get(1);
    }

    public void putReal(double real) {
        parts.put(0, real);
    }

    public void putImag(double imag) {
        parts.put(1, imag);
    }

    public DoubleBuffer getBuffer() {
        return parts.duplicate();
    }
}
