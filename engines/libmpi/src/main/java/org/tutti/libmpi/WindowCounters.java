package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.AccessFunctions.MPI_Compare_and_swap;
import static org.tutti.libmpi.raw.AccessFunctions.MPI_Get_accumulate;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.WindowFunctions.MPI_Win_flush;

import java.lang.foreign.MemorySegment;
import org.tutti.coll.window.Exposures;
import org.tutti.coll.window.TicketLock;

/// The counters of each rank, stored in a window before the rank's memory: int64 values that all ranks change
/// with the library's atomic operations. When an operation returns, the value has changed. n is the number of
/// ranks. Each access may be a round trip, so two counters are the halves of a single value: a request for a
/// shared lock thereby also returns whether the lock is granted.
///
///     0         8          16           24         24 + 8·n       24 + 16·n
///     |  turns  |  passed  | accumulate | posts[n] | completes[n] |
///
///     turns, passed      [TicketLock]: `drawn` · 2^32 + `read`, and `write`
///     accumulate         [NativeWindow#acquire]
///     posts, completes   [Exposures]
final class WindowCounters implements Exposures.Counts, TicketLock.Counters {
    static final long ACCUMULATE = 16;
    private static final long TURNS = 0, PASSED = 8, ARRAYS = 24;

    /// The value to be added to [#TURNS] to draw one ticket.
    private static final long TICKET = 1L << Integer.SIZE;

    /// The size of the part of a thread's scratch that an operation uses, and the offset of the compared value,
    /// in bytes.
    private static final long OPERANDS_BYTES = 16, COMPARED = 8;

    private final NativeComm port;
    private final long handle;
    private final long[] places;
    private final RemoteAccesses accesses;

    /// @param places the displacement of each rank's counters in the library's window
    WindowCounters(LibraryWindow library, long[] places, RemoteAccesses accesses) {
        port = library.port();
        handle = library.handle();
        this.places = places;
        this.accesses = accesses;
    }

    /// Returns the size of the counters in bytes, a multiple of the memory's alignment.
    static long bytes(int ranks) {
        return ARRAYS + 2L * Long.BYTES * ranks + NativeWindow.ALIGNMENT - 1 & -NativeWindow.ALIGNMENT;
    }

    @Override
    public void increment(int rank, boolean completes) {
        add(rank, count(port.rank(), completes), 1);
    }

    @Override
    public long value(int rank, boolean completes) {
        return get(port.rank(), count(rank, completes));
    }

    /// Returns the offset of the counter of posts or completes of `rank`.
    private long count(int rank, boolean completes) {
        return ARRAYS + (long) Long.BYTES * (completes ? port.size() + rank : rank);
    }

    @Override
    public long draw(int target, boolean exclusive) {
        long turns = add(target, TURNS, TICKET), ticket = turns >>> Integer.SIZE;
        return !exclusive && (int) turns == (int) ticket ? ~ticket : ticket;
    }

    @Override
    public boolean isTurn(int target, long ticket, boolean exclusive) {
        return (int) get(target, exclusive ? PASSED : TURNS) == (int) ticket;
    }

    /// Sets `read`, the lower half of a value whose upper half is `drawn`. When `read` overflows, the carry
    /// into `drawn` is subtracted.
    @Override
    public void admit(int target, long ticket) {
        add(target, TURNS, (int) ticket == -1 ? 1 - TICKET : 1);
    }

    @Override
    public void release(int target) {
        add(target, PASSED, 1);
    }

    private long get(int rank, long word) {
        return change(rank, word, 0, MPI_NO_OP);
    }

    /// Adds `n`; returns the previous value.
    private long add(int rank, long word, long n) {
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
            long at = places[rank] + word;
            accesses.check(MPI_Get_accumulate(
                    operands, 1, MPI_INT64_T, s.out, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, op, handle));
            accesses.check(MPI_Win_flush(rank, handle));
            return s.out.get(JAVA_LONG, 0);
        } finally {
            s.give();
        }
    }

    /// Sets the value if it is `expected`; returns whether it has been set.
    boolean compareAndSet(int rank, long word, long expected, long value) {
        NativeScratch s = NativeScratch.take();
        try {
            MemorySegment operands = s.sendRoom(OPERANDS_BYTES);
            operands.set(JAVA_LONG, 0, value);
            operands.set(JAVA_LONG, COMPARED, expected);
            long at = places[rank] + word;
            MemorySegment compared = operands.asSlice(COMPARED);
            accesses.check(MPI_Compare_and_swap(operands, compared, s.out, MPI_INT64_T, rank, at, handle));
            accesses.check(MPI_Win_flush(rank, handle));
            return s.out.get(JAVA_LONG, 0) == expected;
        } finally {
            s.give();
        }
    }
}
