package org.tutti.micro;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Another rank's operand, outside the heap, is added to an array.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@State(Scope.Thread)
public class Reduce {
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
        Op.SUM.apply(Datatype.FLOAT, operand, 0, floats, 0, count);
    }

    @Benchmark
    public void doubles() {
        Op.SUM.apply(Datatype.DOUBLE, operand, 0, doubles, 0, count);
    }

    @Benchmark
    public void bytes() {
        Op.MAX.apply(Datatype.BYTE, operand, 0, bytes, 0, count);
    }
}
