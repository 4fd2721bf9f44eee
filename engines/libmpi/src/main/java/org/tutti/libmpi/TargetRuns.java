package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.DatatypeFunctions.MPI_Type_commit;
import static org.tutti.libmpi.raw.DatatypeFunctions.MPI_Type_create_hindexed;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// Divides an access into calls of the library. A call transfers at most 1 GiB, because counts are `int`. If
/// the target's memory has a layout, each call transfers up to 16384 runs, which are described by a type of the
/// library.
final class TargetRuns {
    private static final long LONGEST = 1L << 30;
    private static final int MOST_RUNS = 1 << 14;

    private TargetRuns() {}

    /// Executes one call. The origin's data is the `bytes` packed bytes that start at `from`. The target's data
    /// is `count` elements of `type` that start `at` bytes after the start of the access.
    interface Call {
        int make(long from, long bytes, long at, int count, long type);
    }

    /// Executes the calls for `bytes` bytes of elements of type `basic`. `layout` is null if the target's
    /// elements are contiguous.
    static void each(RemoteAccesses accesses, @Nullable Layout layout, long bytes, ElementType basic, Call call) {
        if (layout != null) {
            eachOfRuns(accesses, layout, bytes, basic, call);
            return;
        }
        for (long done = 0; done < bytes; done += LONGEST) {
            long n = Math.min(LONGEST, bytes - done);
            accesses.check(call.make(done, n, done, (int) (n / basic.bytes()), Types.inWindow(basic)));
        }
    }

    private static void eachOfRuns(RemoteAccesses accesses, Layout layout, long bytes, ElementType basic, Call call) {
        int runs = Math.toIntExact(layout.runs());
        long[] begins = new long[runs], limits = new long[runs];
        layout.spans(begins, limits);
        try (Arena arena = Arena.ofConfined()) {
            int most = Math.min(runs, MOST_RUNS);
            MemorySegment lengths = arena.allocate(JAVA_INT, most), places = arena.allocate(JAVA_LONG, most);
            long done = 0;
            for (int r = 0; done < bytes; ) {
                long from = done;
                int n = 0;
                while (n < most && done < bytes && done - from < LONGEST) {
                    long length = Math.min(Math.min(limits[r] - begins[r], bytes - done), LONGEST - (done - from));
                    lengths.setAtIndex(JAVA_INT, n, (int) (length / basic.bytes()));
                    places.setAtIndex(JAVA_LONG, n++, begins[r]);
                    done += length;
                    begins[r] += length;
                    if (begins[r] == limits[r]) r++;
                }
                long type = type(accesses, n, lengths, places, basic, arena);
                accesses.check(call.make(from, done - from, 0, 1, type));
                Types.free(type); // pending accesses retain it
            }
        }
    }

    private static long type(
            RemoteAccesses accesses,
            int n,
            MemorySegment lengths,
            MemorySegment places,
            ElementType basic,
            Arena arena) {
        MemorySegment out = arena.allocate(8, 8);
        accesses.check(MPI_Type_create_hindexed(n, lengths, places, Types.inWindow(basic), out));
        accesses.check(MPI_Type_commit(out));
        return ABI.readHandle(out);
    }
}
