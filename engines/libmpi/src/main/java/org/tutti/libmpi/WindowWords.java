package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.AccessFunctions.MPI_Compare_and_swap;
import static org.tutti.libmpi.raw.AccessFunctions.MPI_Get_accumulate;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.WindowFunctions.MPI_Win_flush;

import java.lang.foreign.MemorySegment;
import org.tutti.coll.window.Exposures;

/// What each rank has in a window before its memory: int64 words, which all ranks change by the library's atomic
/// operations. A call is over when the word has changed. n is the number of ranks.
///
///     0         8          16           24         24 + 8·n       24 + 16·n
///     |  turns  |  passed  | accumulate | posts[n] | completes[n] |
///
///     turns, passed      [TargetLocks]
///     accumulate         [NativeWindow#acquire]
///     posts, completes   [Exposures]
final class WindowWords implements Exposures.Counts {
    static final long TURNS = 0, PASSED = 8, ACCUMULATE = 16;
    private static final long ARRAYS = 24;

    /// What of a thread's room an operation uses.
    private static final long OPERANDS_BYTES = 16, COMPARED = 8;

    private final NativeWindow window;

    WindowWords(NativeWindow window) {
        this.window = window;
    }

    /// A multiple of the alignment that memory has.
    static long bytes(int ranks) {
        return ARRAYS + 2L * Long.BYTES * ranks + NativeWindow.ALIGNMENT - 1 & -NativeWindow.ALIGNMENT;
    }

    @Override
    public void tell(int rank, boolean completes) {
        add(rank, count(window.port().rank(), completes), 1);
    }

    @Override
    public long told(int rank, boolean completes) {
        return get(window.port().rank(), count(rank, completes));
    }

    /// The word for the posts or completes of `rank`.
    private long count(int rank, boolean completes) {
        return ARRAYS + (long) Long.BYTES * (completes ? window.port().size() + rank : rank);
    }

    long get(int rank, long word) {
        return change(rank, word, 0, MPI_NO_OP);
    }

    /// Returns what it was.
    long add(int rank, long word, long n) {
        return change(rank, word, n, MPI_SUM);
    }

    void set(int rank, long word, long value) {
        change(rank, word, value, MPI_REPLACE);
    }

    private long change(int rank, long word, long operand, long op) {
        NativeScratch s = NativeScratch.take();
        try {
            MemorySegment operands = s.sendRoom(OPERANDS_BYTES);
            operands.set(JAVA_LONG, 0, operand);
            long at = window.words(rank) + word;
            window.check(MPI_Get_accumulate(
                    operands, 1, MPI_INT64_T, s.out, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, op, window.handle()));
            window.check(MPI_Win_flush(rank, window.handle()));
            return s.out.get(JAVA_LONG, 0);
        } finally {
            s.give();
        }
    }

    /// Whether it was `expected`, and is now `value`.
    boolean compareAndSet(int rank, long word, long expected, long value) {
        NativeScratch s = NativeScratch.take();
        try {
            MemorySegment operands = s.sendRoom(OPERANDS_BYTES);
            operands.set(JAVA_LONG, 0, value);
            operands.set(JAVA_LONG, COMPARED, expected);
            long at = window.words(rank) + word;
            MemorySegment compared = operands.asSlice(COMPARED);
            window.check(MPI_Compare_and_swap(operands, compared, s.out, MPI_INT64_T, rank, at, window.handle()));
            window.check(MPI_Win_flush(rank, window.handle()));
            return s.out.get(JAVA_LONG, 0) == expected;
        } finally {
            s.give();
        }
    }
}
