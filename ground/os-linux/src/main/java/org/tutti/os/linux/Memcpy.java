package org.tutti.os.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The C library's `memcpy`. From some kilobytes on it writes whole cache lines without reading them first. The vector
/// stores of the JVM's copy read each line, which another core has changed since, and wait for it: two cores that
/// pass 512 KiB to and fro move 28 GB/s with `memcpy`, and 7 with such stores.
final class Memcpy {
    private Memcpy() {}

    /// Long copies before the function is linked, which takes a thread of its own 30 to 90 ms: a short program does
    /// without.
    private static final int COPIES_BEFORE_LINK = 64;

    private static final int UNLINKED = 0, LINKING = 1, READY = 2;
    private static int copies;
    private static volatile int state;

    private static final class Linked {
        private Linked() {}

        /// Critical: the copy may read an array of the heap, which the garbage collector leaves in place meanwhile.
        private static final MethodHandle MEMCPY = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("memcpy"),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
                        Linker.Option.critical(true));
    }

    /// Whether [#copy] is linked; to be asked before each. Two threads may count one copy instead of two.
    static boolean isReady() {
        if (state == READY) return true;
        if (state == UNLINKED && ++copies >= COPIES_BEFORE_LINK) link();
        return false;
    }

    private static synchronized void link() {
        if (state != UNLINKED) return;
        state = LINKING;
        Thread.ofPlatform().daemon().name("tutti-link").start(() -> {
            byte[] one = new byte[1];
            try (Arena arena = Arena.ofConfined()) {
                copy(MemorySegment.ofArray(one), arena.allocate(1).address());
            }
            state = READY;
        });
    }

    /// Copies all of a segment; always true.
    static boolean copy(MemorySegment from, long address) {
        try {
            long ignored = (long) Linked.MEMCPY.invokeExact(address, from, from.byteSize());
            return true;
        } catch (RuntimeException e) {
            throw e; // the segment is closed, or another thread's
        } catch (Throwable t) {
            throw new AssertionError(t); // the function throws nothing
        }
    }
}
