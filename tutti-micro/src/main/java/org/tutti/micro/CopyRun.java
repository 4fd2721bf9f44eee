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
import org.tutti.mpi.layout.Moves;

/// The bytes of a message between an array and memory outside the heap.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@State(Scope.Thread)
public class CopyRun {
    @Param({"8", "64", "4096", "1048576"})
    public int bytes;

    private MemorySegment array = MemorySegment.NULL;
    private MemorySegment outside = MemorySegment.NULL;

    @Setup
    public void allocate() {
        array = MemorySegment.ofArray(new byte[bytes]);
        outside = Arena.ofAuto().allocate(bytes, 64);
    }

    @Benchmark
    public void outOfTheHeap() {
        Moves.copy(array, 0, outside, 0, bytes);
    }

    @Benchmark
    public void intoTheHeap() {
        Moves.copy(outside, 0, array, 0, bytes);
    }
}
