package org.tutti.lab.micro;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.tutti.spi.type.Moves;

/// Copies the bytes of a message between an array and memory outside of the heap.
public class CopyRun extends PieceCopy {
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
