package org.tutti.micro;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.mpi.object.ObjectCodec;

/// A small map to bytes and back.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@State(Scope.Thread)
public class Objects {
    private final ObjectCodec codec = new ObjectCodec();
    private final Map<String, Object> value = Map.of("a", 7, "b", 3.14);

    @Benchmark
    public Object encodeAndDecode() {
        long bytes = codec.encodeWhole(value);
        Object back = codec.decode(codec.head(), 0, bytes, Map.class);
        codec.release();
        return java.util.Objects.requireNonNull(back);
    }
}
