package org.tutti.spi.type;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/// Access to single elements of segments of any kind.
///
/// The compiler has one profile of `MemorySegment.get` for the whole JVM. Once the method has been called with
/// heap and native segments of several kinds, each access costs two virtual calls: 25 ns for `b += a` instead
/// of 4 to 9 ns (JDK 25). `Class.cast` to the segment's implementation class restores the type regardless of
/// other code, because the compiler understands this call if the class is a constant.
public final class Elements {
    // The implementation classes of segments. The method that contains a loop must also contain the test for
    // the class and the cast to the class.
    public static final Class<? extends MemorySegment> NATIVE = MemorySegment.NULL.getClass();
    public static final Class<? extends MemorySegment> INTS =
            MemorySegment.ofArray(new int[0]).getClass();
    public static final Class<? extends MemorySegment> LONGS =
            MemorySegment.ofArray(new long[0]).getClass();
    public static final Class<? extends MemorySegment> FLOATS =
            MemorySegment.ofArray(new float[0]).getClass();
    public static final Class<? extends MemorySegment> DOUBLES =
            MemorySegment.ofArray(new double[0]).getClass();
    public static final Class<? extends MemorySegment> BYTES =
            MemorySegment.ofArray(new byte[0]).getClass();

    private Elements() {}

    public static int getInt(MemorySegment s, long offset) {
        if (NATIVE.isInstance(s)) return NATIVE.cast(s).get(JAVA_INT_UNALIGNED, offset);
        if (INTS.isInstance(s)) return INTS.cast(s).get(JAVA_INT_UNALIGNED, offset);
        if (BYTES.isInstance(s)) return BYTES.cast(s).get(JAVA_INT_UNALIGNED, offset);
        if (FLOATS.isInstance(s)) return FLOATS.cast(s).get(JAVA_INT_UNALIGNED, offset);
        return s.get(JAVA_INT_UNALIGNED, offset);
    }

    public static void setInt(MemorySegment s, long offset, int value) {
        if (NATIVE.isInstance(s)) NATIVE.cast(s).set(JAVA_INT_UNALIGNED, offset, value);
        else if (INTS.isInstance(s)) INTS.cast(s).set(JAVA_INT_UNALIGNED, offset, value);
        else if (BYTES.isInstance(s)) BYTES.cast(s).set(JAVA_INT_UNALIGNED, offset, value);
        else if (FLOATS.isInstance(s)) FLOATS.cast(s).set(JAVA_INT_UNALIGNED, offset, value);
        else s.set(JAVA_INT_UNALIGNED, offset, value);
    }

    public static long getLong(MemorySegment s, long offset) {
        if (NATIVE.isInstance(s)) return NATIVE.cast(s).get(JAVA_LONG_UNALIGNED, offset);
        if (LONGS.isInstance(s)) return LONGS.cast(s).get(JAVA_LONG_UNALIGNED, offset);
        if (BYTES.isInstance(s)) return BYTES.cast(s).get(JAVA_LONG_UNALIGNED, offset);
        if (DOUBLES.isInstance(s)) return DOUBLES.cast(s).get(JAVA_LONG_UNALIGNED, offset);
        return s.get(JAVA_LONG_UNALIGNED, offset);
    }

    public static void setLong(MemorySegment s, long offset, long value) {
        if (NATIVE.isInstance(s)) NATIVE.cast(s).set(JAVA_LONG_UNALIGNED, offset, value);
        else if (LONGS.isInstance(s)) LONGS.cast(s).set(JAVA_LONG_UNALIGNED, offset, value);
        else if (BYTES.isInstance(s)) BYTES.cast(s).set(JAVA_LONG_UNALIGNED, offset, value);
        else if (DOUBLES.isInstance(s)) DOUBLES.cast(s).set(JAVA_LONG_UNALIGNED, offset, value);
        else s.set(JAVA_LONG_UNALIGNED, offset, value);
    }

    public static float getFloat(MemorySegment s, long offset) {
        if (NATIVE.isInstance(s)) return NATIVE.cast(s).get(JAVA_FLOAT_UNALIGNED, offset);
        if (FLOATS.isInstance(s)) return FLOATS.cast(s).get(JAVA_FLOAT_UNALIGNED, offset);
        return s.get(JAVA_FLOAT_UNALIGNED, offset);
    }

    public static void setFloat(MemorySegment s, long offset, float value) {
        if (NATIVE.isInstance(s)) NATIVE.cast(s).set(JAVA_FLOAT_UNALIGNED, offset, value);
        else if (FLOATS.isInstance(s)) FLOATS.cast(s).set(JAVA_FLOAT_UNALIGNED, offset, value);
        else s.set(JAVA_FLOAT_UNALIGNED, offset, value);
    }

    public static double getDouble(MemorySegment s, long offset) {
        if (NATIVE.isInstance(s)) return NATIVE.cast(s).get(JAVA_DOUBLE_UNALIGNED, offset);
        if (DOUBLES.isInstance(s)) return DOUBLES.cast(s).get(JAVA_DOUBLE_UNALIGNED, offset);
        return s.get(JAVA_DOUBLE_UNALIGNED, offset);
    }

    public static void setDouble(MemorySegment s, long offset, double value) {
        if (NATIVE.isInstance(s)) NATIVE.cast(s).set(JAVA_DOUBLE_UNALIGNED, offset, value);
        else if (DOUBLES.isInstance(s)) DOUBLES.cast(s).set(JAVA_DOUBLE_UNALIGNED, offset, value);
        else s.set(JAVA_DOUBLE_UNALIGNED, offset, value);
    }
}
