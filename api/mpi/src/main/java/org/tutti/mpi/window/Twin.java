package org.tutti.mpi.window;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Program memory that other ranks cannot access, and its twin: memory in a window, which all ranks can access.
/// [#merge] synchronizes the two, element by element. It compares each of the two with their common content
/// after the last merge: a difference in the program's memory is a store of the program, and a difference in
/// the window is a put of a different rank.
public final class Twin {
    /// Transfers data between [#own] and the program's memory, if `own` is only a copy of that memory.
    public interface Original {
        /// Copies changes of the program's memory into the copy.
        void refresh();

        /// Copies `bytes` bytes back to the program's memory, starting at byte `from`.
        void take(long from, long bytes);
    }

    private final MemorySegment own;
    private final Original original;
    private final MemorySegment window;
    private final int elementBytes;
    private final long bytes;

    /// The common content after the last merge.
    private final MemorySegment last;

    /// Creates a twin, and copies the content of `own` into the window.
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

    /// Synchronizes the two memories. Concurrent stores of the program and puts of other ranks to different
    /// elements are visible after this merge, or after the next one.
    public synchronized void merge() {
        original.refresh();
        for (long at = differs(own, 0), end; at < bytes; at = differs(own, end)) {
            end = alike(own, at);
            copy(own, last, at, end - at); // copy via `last`: the source may be changing
            copy(last, window, at, end - at);
        }
        for (long at = differs(window, 0), end; at < bytes; at = differs(window, end)) {
            end = alike(window, at);
            copy(window, last, at, end - at);
            copy(last, own, at, end - at);
            original.take(at, end - at);
        }
    }

    /// Returns the offset of the first changed element at or after `at`.
    private long differs(MemorySegment now, long at) {
        long first = MemorySegment.mismatch(now, at, bytes, last, at, bytes);
        return first < 0 ? bytes : (at + first) / elementBytes * elementBytes;
    }

    /// Returns the offset of the first unchanged element after the changed element at `at`.
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
