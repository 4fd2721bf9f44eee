package org.tutti.lab.micro;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// Adds the operand of a different rank, outside of the heap, to an array.
public class Reduce extends PieceCopy {
    @Param({"2", "16384"})
    public int count;

    private MemorySegment operand = MemorySegment.NULL;
    private MemorySegment floats = MemorySegment.NULL;
    private MemorySegment doubles = MemorySegment.NULL;
    private MemorySegment bytes = MemorySegment.NULL;

    @Setup
    public void allocate() {
        operand = Arena.ofAuto().allocate(8L * count, 64);
        floats = MemorySegment.ofArray(new float[count]);
        doubles = MemorySegment.ofArray(new double[count]);
        bytes = MemorySegment.ofArray(new byte[count]);
    }

    @Benchmark
    public void floats() {
        PredefinedReduction.SUM.apply(ElementType.FLOAT, operand, 0, floats, 0, count);
    }

    @Benchmark
    public void doubles() {
        PredefinedReduction.SUM.apply(ElementType.DOUBLE, operand, 0, doubles, 0, count);
    }

    @Benchmark
    public void bytes() {
        PredefinedReduction.MAX.apply(ElementType.BYTE, operand, 0, bytes, 0, count);
    }
}
