package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/// A complex number in memory: a view of two consecutive `float`s.
public final class FloatComplex {
    private final FloatBuffer parts;

    private FloatComplex(FloatBuffer all, int index) {
        parts = all.slice(2 * index, 2);
    }

    public static FloatComplex get(float[] array) {
        return get(array, 0);
    }

    public static FloatComplex get(float[] array, int index) {
        return new FloatComplex(FloatBuffer.wrap(array), index);
    }

    public static FloatComplex get(FloatBuffer buffer) {
        return get(buffer, 0);
    }

    public static FloatComplex get(FloatBuffer buffer, int index) {
        return new FloatComplex(buffer.duplicate().clear(), index);
    }

    public static FloatComplex get(ByteBuffer buffer) {
        return get(buffer, 0);
    }

    public static FloatComplex get(ByteBuffer buffer, int index) {
        ByteBuffer all = buffer.duplicate().clear().order(ByteOrder.nativeOrder());
        return new FloatComplex(all.asFloatBuffer(), index);
    }

    public float getReal() {
        return parts.get(0);
    }

    public float getImag() {
        return parts.get(1);
    }

    public void putReal(float real) {
        parts.put(0, real);
    }

    public void putImag(float imag) {
        parts.put(1, imag);
    }

    public FloatBuffer getBuffer() {
        return parts.duplicate();
    }
}
