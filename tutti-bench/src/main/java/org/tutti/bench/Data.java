package org.tutti.bench;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;

/// Buffers to measure with.
final class Data {
    private Data() {}

    static Buf bytes(Mpi mpi, BenchOptions.Buffer where, long count) {
        return switch (where) {
            case HEAP -> buf(new byte[Math.toIntExact(count)]);
            case SEGMENT -> buf(mpi.alloc(count));
        };
    }

    static Buf floats(Mpi mpi, BenchOptions.Buffer where, long count) {
        return switch (where) {
            case HEAP -> buf(new float[Math.toIntExact(count)]);
            case SEGMENT -> {
                MemorySegment s = mpi.alloc(count * Datatype.FLOAT.bytes());
                yield buf(s, Datatype.FLOAT);
            }
        };
    }
}
