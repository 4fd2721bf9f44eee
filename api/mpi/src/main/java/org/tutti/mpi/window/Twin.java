package org.tutti.mpi.window;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory of the program's own, which others cannot reach, and its twin in a window, which they can. They are made
/// alike again by [#merge], element by element: what differs in the program's memory from what both were last has
/// been stored by the program, what differs in the window's has been put by others.
public final class Twin {
    /// The program's memory, where [#own] is a copy of it.
    public interface Original {
        /// Brings what has changed there.
        void refresh();

        /// Takes `bytes` bytes of the copy back, from byte `from` on.
        void take(long from, long bytes);
    }

    private final MemorySegment own;
    private final Original original;
    private final MemorySegment window;
    private final int elementBytes;
    private final long bytes;

    /// What both had when they were last alike.
    private final MemorySegment last;

    /// The window's memory becomes as `own` is.
    public Twin(MemorySegment own, Original original, MemorySegment window, int elementBytes) {
        this.own = own;
        this.original = original;
        this.window = window;
        this.elementBytes = elementBytes;
        bytes = window.byteSize();
        last = bytes <= Integer.MAX_VALUE / 2
                ? MemorySegment.ofArray(new byte[(int) bytes])
                : Arena.ofAuto().allocate(bytes, Long.BYTES);
        copy(own, last, 0, bytes);
        copy(last, window, 0, bytes);
    }

    /// Makes both alike. What the program stores and what others put at the same time, in different elements, is
    /// there afterwards or after the next merge.
    public synchronized void merge() {
        original.refresh();
        for (long at = differs(own, 0), end; at < bytes; at = differs(own, end)) {
            end = alike(own, at);
            copy(own, last, at, end - at); // through what is known: it may be changing
            copy(last, window, at, end - at);
        }
        for (long at = differs(window, 0), end; at < bytes; at = differs(window, end)) {
            end = alike(window, at);
            copy(window, last, at, end - at);
            copy(last, own, at, end - at);
            original.take(at, end - at);
        }
    }

    /// The first element from `at` on that is another than it was.
    private long differs(MemorySegment now, long at) {
        long first = MemorySegment.mismatch(now, at, bytes, last, at, bytes);
        return first < 0 ? bytes : (at + first) / elementBytes * elementBytes;
    }

    /// The first from `at` on that is the same.
    private long alike(MemorySegment now, long at) {
        long end = at + elementBytes;
        while (end < bytes && isOther(now, end)) end += elementBytes;
        return end;
    }

    private boolean isOther(MemorySegment now, long at) {
        return switch (elementBytes) {
            case Byte.BYTES -> now.get(JAVA_BYTE, at) != last.get(JAVA_BYTE, at);
            case Short.BYTES -> now.get(JAVA_SHORT_UNALIGNED, at) != last.get(JAVA_SHORT_UNALIGNED, at);
            case Integer.BYTES -> now.get(JAVA_INT_UNALIGNED, at) != last.get(JAVA_INT_UNALIGNED, at);
            case Long.BYTES -> now.get(JAVA_LONG_UNALIGNED, at) != last.get(JAVA_LONG_UNALIGNED, at);
            default -> MemorySegment.mismatch(now, at, at + elementBytes, last, at, at + elementBytes) >= 0;
        };
    }

    private static void copy(MemorySegment from, MemorySegment to, long at, long bytes) {
        MemorySegment.copy(from, at, to, at, bytes);
    }
}
