package org.tutti.mpi.file;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Access;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;
import org.tutti.spi.type.RunVisitor;
import org.tutti.spi.type.TypeMap;
import org.tutti.spi.type.TypeMapLayout;

/// A window for the transfer of data between a file's ranks. Each rank's memory has space for the bytes of two
/// domains, so that one half is filled while the other half is written.
///
///     0             domain         2 domains      3 domains      4 domains
///     | half 0:     | marks of     | half 1:      | marks of     |
///     |  bytes      |  half 0      |  bytes       |  half 1      |
///
/// A mark is 1 if the byte must be written; marks are unused if all bytes are written. If the ranks share
/// memory, they store the data directly; otherwise they use puts.
final class CollectiveBuffer {
    /// The number of marks stored in one step.
    private static final int ONES_BYTES = 256 << 10;

    private static final MemorySegment ONES =
            Arena.global().allocate(ONES_BYTES, 64).fill((byte) 1);

    private final WindowPort window;
    private final long domain;
    private final MemorySegment own;

    /// The memory of each rank; null if the ranks do not share memory.
    private final MemorySegment @Nullable [] all;

    CollectiveBuffer(WindowPort window, long domain) {
        this.window = window;
        this.domain = domain;
        own = window.memory(window.port().rank());
        all = memories(window);
    }

    /// Returns the size of a rank's window memory.
    static long bytes(long domain) {
        return 4 * domain;
    }

    private static MemorySegment @Nullable [] memories(WindowPort window) {
        MemorySegment[] all = new MemorySegment[window.port().size()];
        try {
            for (int r = 0; r < all.length; r++) all[r] = window.memory(r);
            return all;
        } catch (Fault f) {
            if (f.errorClass() == PredefinedErrorClass.ERR_RMA_SHARED) return null;
            throw f;
        }
    }

    /// Returns the maximum size of a domain.
    long domain() {
        return domain;
    }

    WindowPort window() {
        return window;
    }

    private long place(int half) {
        return 2L * half * domain;
    }

    /// Returns the bytes of this rank's domain in a half.
    MemorySegment bytes(int half) {
        return own.asSlice(place(half), domain);
    }

    MemorySegment marks(int half) {
        return own.asSlice(place(half) + domain, domain);
    }

    /// Stores the packed bytes of a view from `from` to `to` in the memory of `rank`, for the domain that
    /// starts at `base`.
    ///
    /// @param first the packed byte at the start of the data
    void put(int rank, int half, long base, FileView view, long from, long to, FileData data, long first) {
        data.out(
                from - first,
                to - from,
                (at, n, memory, place) -> store(rank, place(half), base, view, first + at, n, memory, place));
    }

    /// Marks the packed bytes from `from` to `to` in the memory of `rank`.
    void mark(int rank, int half, long base, FileView view, long from, long to) {
        for (long at = from; at < to; at += ONES_BYTES) {
            store(rank, place(half) + domain, base, view, at, Math.min(to - at, ONES_BYTES), ONES, 0);
        }
    }

    private void store(
            int rank, long place, long base, FileView view, long from, long n, MemorySegment source, long at) {
        MemorySegment[] shared = all;
        if (shared == null) {
            access(Access.Kind.PUT, rank, place, base, view, from, n, source.asSlice(at, n));
        } else {
            MemorySegment there = shared[rank].asSlice(place, domain);
            view.tiling().unpack(there, base - view.displacement(), from, source, at, n);
        }
    }

    /// Loads the packed bytes of a view from `from` to `to` from the memory of `rank`.
    void get(int rank, int half, long base, FileView view, long from, long to, FileData data, long first) {
        MemorySegment[] shared = all;
        data.in(from - first, to - from, (at, n, memory, place) -> {
            if (shared == null) {
                access(Access.Kind.GET, rank, place(half), base, view, first + at, n, memory.asSlice(place, n));
            } else {
                MemorySegment bytes = shared[rank].asSlice(place(half), domain);
                view.tiling().pack(bytes, base - view.displacement(), first + at, memory, place, n);
            }
            return n;
        });
    }

    private void access(
            Access.Kind kind, int rank, long place, long base, FileView view, long from, long n, MemorySegment memory) {
        TypeMap there = runs(view, from, n, base);
        Access a = new Access().fill("file", kind, rank);
        a.bytes = n;
        a.targetOffset = there.isDense() ? place + there.offset() : place;
        a.targetLayout = there.isDense() ? null : new TypeMapLayout(there);
        Memory here = Memory.of(memory);
        if (kind == Access.Kind.PUT) a.origin.at(here, null);
        else a.result.at(here, null);
        window.run(a);
    }

    /// Returns the runs of the packed bytes in the domain that starts at `base`.
    private static TypeMap runs(FileView view, long from, long n, long base) {
        long[][] runs = {new long[16], new long[16]};
        int[] count = new int[1];
        view.tiling().visit(from, n, (offset, bytes) -> {
            int i = count[0]++;
            if (i == runs[0].length) {
                runs[0] = Arrays.copyOf(runs[0], 2 * i);
                runs[1] = Arrays.copyOf(runs[1], 2 * i);
            }
            runs[0][i] = bytes;
            runs[1][i] = view.displacement() + offset - base;
        });
        return TypeMap.run(1).blocks(Arrays.copyOf(runs[0], count[0]), Arrays.copyOf(runs[1], count[0]), 1);
    }

    /// Completes this rank's accesses, before the ranks agree on the round.
    void flush() {
        window.flushAll();
        window.sync();
    }

    /// Synchronizes this rank's memory after the agreement.
    void sync() {
        window.sync();
    }

    /// Visits the marked bytes within the first `length` bytes, and clears the marks.
    void eachMarked(int half, long length, RunVisitor visitor) {
        MemorySegment marks = marks(half).asSlice(0, length);
        try {
            for (long at = 0; at < length; ) {
                if (marks.get(JAVA_BYTE, at) == 0) {
                    at++;
                    continue;
                }
                long end = endOfOnes(marks, at);
                visitor.run(at, end - at);
                at = end;
            }
        } finally {
            marks.fill((byte) 0);
        }
    }

    /// Clears all marks.
    void clearMarks() {
        for (int half = 0; half < 2; half++) marks(half).fill((byte) 0);
    }

    private static long endOfOnes(MemorySegment marks, long from) {
        for (long at = from; at < marks.byteSize(); ) {
            long n = Math.min(ONES_BYTES, marks.byteSize() - at);
            long differs = MemorySegment.mismatch(marks, at, at + n, ONES, 0, n);
            if (differs >= 0) return at + differs;
            at += n;
        }
        return marks.byteSize();
    }
}
