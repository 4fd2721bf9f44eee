package org.tutti.os.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/// The C library's `memcpy`. From a size of some kilobytes on, it writes whole cache lines without reading the
/// old contents. The vector stores of the JVM's copy first read each line, which was last changed by a
/// different core, and wait for the line: two cores that exchange 512 KiB transfer 28 GB/s with `memcpy`, and 7
/// GB/s with such stores.
final class Memcpy {
    private Memcpy() {}

    /// The number of long copies before the function is linked. Linking takes 30 to 90 ms on a separate thread;
    /// a program that runs for a short time avoids this work.
    private static final int COPIES_BEFORE_LINK = 64;

    private static final int UNLINKED = 0, LINKING = 1, READY = 2;
    private static int copies;
    private static volatile int state;

    /// The smallest page size of any kernel. Larger page sizes are multiples of it.
    private static final int PAGE_BYTES = 4096;

    /// Receives the result of [#readPages], because the compiler removes reads without a use. Never read.
    private static long sink;

    private static final class Linked {
        private Linked() {}

        /// The handle is critical: the copy may read a heap array, which the garbage collector does not move
        /// during the call.
        private static final MethodHandle MEMCPY = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("memcpy"),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
                        Linker.Option.critical(true));
    }

    /// Returns whether [#copy] is linked. Must be called before each copy, because it counts the copies;
    /// concurrent calls of two threads may be counted as one.
    static boolean isReady() {
        if (state == READY) return true;
        if (state == UNLINKED && ++copies >= COPIES_BEFORE_LINK) link();
        return false;
    }

    private static synchronized void link() {
        if (state != UNLINKED) return;
        state = LINKING;
        try {
            Thread.ofPlatform().daemon().name("tutti-link").start(Memcpy::linkNow);
        } catch (OutOfMemoryError e) {
            // The process cannot start more threads, so Java continues to copy.
        }
    }

    private static void linkNow() {
        byte[] one = new byte[1];
        try (Arena arena = Arena.ofConfined()) {
            copy(MemorySegment.ofArray(one), arena.allocate(1));
            state = READY;
        } catch (OutOfMemoryError e) {
            // Java continues to copy.
        }
    }

    /// Copies an array's segment to the beginning of `to`, which is native. Always returns true.
    ///
    /// @throws InternalError if a page of `to` is missing because a process has truncated the mapped file; in
    ///     native code, the access would end this process. Pages that are lost during the copy are not
    ///     detected.
    static boolean copy(MemorySegment from, MemorySegment to) {
        sink = readPages(to, from.byteSize());
        // In compiled code, a fault is thrown at the next safepoint poll. The call of memcpy contains no
        // safepoint poll, so the native method maxMemory, which contains one, is called before it.
        long unused = Runtime.getRuntime().maxMemory();
        try {
            long ignored = (long) Linked.MEMCPY.invokeExact(to.address(), from, from.byteSize());
            Reference.reachabilityFence(to);
            return true;
        } catch (RuntimeException | Error e) {
            throw e; // no memory for the objects of the call
        } catch (Throwable t) {
            throw new AssertionError(t); // the function never throws
        }
    }

    /// Reads a byte of each page of the first `bytes` bytes. Returns the sum.
    private static long readPages(MemorySegment memory, long bytes) {
        long sum = memory.get(JAVA_BYTE, bytes - 1) & 0xff;
        for (long at = 0; at < bytes; at += PAGE_BYTES) sum += memory.get(JAVA_BYTE, at) & 0xff;
        return sum;
    }
}
