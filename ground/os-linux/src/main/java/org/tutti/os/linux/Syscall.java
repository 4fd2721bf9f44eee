package org.tutti.os.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.tutti.job.os.SupportedSystem;

/// System calls by number, through libc's `syscall`. All calls have the same signature: two of the arguments
/// may be addresses of segments, which stay alive during the call.
final class Syscall {
    private Syscall() {}

    private static final boolean X86 = "amd64".equals(System.getProperty("os.arch"));

    static final long FUTEX = X86 ? 202 : 98;
    static final long MEMFD_CREATE = X86 ? 319 : 279;
    static final long FTRUNCATE = X86 ? 77 : 46;
    static final long MADVISE = X86 ? 28 : 233;
    static final long PIPE2 = X86 ? 293 : 59;
    static final long KILL = X86 ? 62 : 129;
    static final long CLOSE = X86 ? 3 : 57;
    static final long PRCTL = X86 ? 157 : 167;
    static final long GETPPID = X86 ? 110 : 173;
    static final long SCHED_SETAFFINITY = X86 ? 203 : 122;

    /// The handle, in a class of its own, so that it is linked at the first call, and not when availability is
    /// checked.
    private static final class Linked {
        private Linked() {}

        /// `long syscall(long number, ...)`. The field is not final, because a constant handle is inlined
        /// completely into each caller, which costs half a second for a waiting loop. A handle that is not
        /// constant costs only some nanoseconds more per call.
        private static MethodHandle SYSCALL = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
                        Linker.Option.firstVariadicArg(1));

        static {
            isLinked = true;
        }
    }

    private static boolean isLinked;

    /// Returns whether a call has already linked the handle, so that the next call costs only the time of the
    /// system.
    static boolean isLinked() {
        return isLinked;
    }

    /// Returns whether the system call numbers above are valid for this machine.
    static boolean known() {
        return SupportedSystem.isLinux() && (X86 || "aarch64".equals(System.getProperty("os.arch")));
    }

    /// Executes a call with segments as the first and the fourth argument. Returns the result of the call,
    /// which is -1 after a failure.
    static long call(long number, MemorySegment a, long b, long c, MemorySegment d) {
        try {
            return (long) Linked.SYSCALL.invokeExact(number, a, b, c, d, 0L, 0L);
        } catch (Throwable t) {
            throw new AssertionError(t); // the call never throws
        }
    }

    /// Executes a call with two plain numbers as arguments.
    static long call(long number, long a, long b) {
        return call(number, a, b, 0);
    }

    /// Executes a call with three plain numbers as arguments. The caller must ensure that memory to which they
    /// refer stays alive.
    static long call(long number, long a, long b, long c) {
        return call(number, MemorySegment.ofAddress(a), b, c, MemorySegment.NULL);
    }
}
