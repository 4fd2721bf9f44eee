package org.tutti.bench;

import java.util.Locale;
import java.util.Set;

/// What a measurement is asked to do. The command has checked its options before; a rank reads them again
/// from its arguments: `NAME MIN MAX BUFFER`.
///
/// @param what `latency`, `column` or `allreduce`
/// @param minBytes the smallest message
/// @param maxBytes the largest message; sizes double in between
/// @param buffer where the data lies
public record BenchOptions(String what, long minBytes, long maxBytes, Buffer buffer) {
    /// The measurements there are.
    public static final Set<String> NAMES = Set.of("latency", "column", "allreduce");

    /// Where the data lies.
    public enum Buffer {
        /// A Java array.
        HEAP,
        /// Memory from `mpi.alloc`.
        SEGMENT
    }

    static BenchOptions of(String... args) {
        return new BenchOptions(
                args[0],
                Long.parseLong(args[1]),
                Long.parseLong(args[2]),
                Buffer.valueOf(args[3].toUpperCase(Locale.ROOT)));
    }

    /// As the arguments of [BenchMain].
    public String[] toArguments() {
        return new String[] {
            what,
            Long.toString(minBytes),
            Long.toString(maxBytes),
            buffer.name().toLowerCase(Locale.ROOT)
        };
    }

    /// Iterations that are measured for a message of `bytes`, as OSU does it.
    int iterations(long bytes) {
        return bytes <= 8192 ? 10_000 : bytes <= 1 << 20 ? 1_000 : 100;
    }

    /// Iterations before them: enough that the code of this size's path is compiled when it is measured.
    int warmup(long bytes) {
        if (bytes <= 8192) return bytes == minBytes ? 50_000 : 20_000;
        return bytes <= 1 << 18 ? 20_000 : bytes <= 1 << 20 ? 2_000 : 100;
    }
}
