package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The launch arguments of a [HostKernel]. Parameters and buffer elements are numbered from 0; an access
/// outside of a buffer throws an `IndexOutOfBoundsException`.
public final class HostArguments {
    private final Object[] values;
    private final MemorySegment[] memory;

    HostArguments(Object[] values, MemorySegment[] memory) {
        this.values = values;
        this.memory = memory;
    }

    public int intValue(int parameter) {
        return (Integer) values[parameter];
    }

    public long longValue(int parameter) {
        return ((Number) values[parameter]).longValue();
    }

    public float floatValue(int parameter) {
        return (Float) values[parameter];
    }

    public double doubleValue(int parameter) {
        return ((Number) values[parameter]).doubleValue();
    }

    /// Returns the size of the buffer in bytes.
    public long byteSize(int parameter) {
        return memory[parameter].byteSize();
    }

    public float getFloat(int parameter, long i) {
        return memory[parameter].getAtIndex(ValueLayout.JAVA_FLOAT, i);
    }

    public double getDouble(int parameter, long i) {
        return memory[parameter].getAtIndex(ValueLayout.JAVA_DOUBLE, i);
    }

    public int getInt(int parameter, long i) {
        return memory[parameter].getAtIndex(ValueLayout.JAVA_INT, i);
    }

    public long getLong(int parameter, long i) {
        return memory[parameter].getAtIndex(ValueLayout.JAVA_LONG, i);
    }

    public void set(int parameter, long i, float value) {
        memory[parameter].setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
    }

    public void set(int parameter, long i, double value) {
        memory[parameter].setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
    }

    public void set(int parameter, long i, int value) {
        memory[parameter].setAtIndex(ValueLayout.JAVA_INT, i, value);
    }

    public void set(int parameter, long i, long value) {
        memory[parameter].setAtIndex(ValueLayout.JAVA_LONG, i, value);
    }
}
