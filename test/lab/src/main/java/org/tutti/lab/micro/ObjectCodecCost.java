package org.tutti.lab.micro;

import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.tutti.mpi.object.ObjectCodec;

/// Encodes a small map as bytes and decodes it.
public class ObjectCodecCost extends PieceCopy {
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
