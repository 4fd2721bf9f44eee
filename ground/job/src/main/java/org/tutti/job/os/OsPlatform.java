package org.tutti.job.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/// Access to the operating system: shared files without a name, waits on an integer in shared memory,
/// notification of the parent's death, and cpu affinity. [PortablePlatform] uses only Java. A native
/// implementation is a service, and is used if native access is permitted.
public interface OsPlatform {
    /// Returns the name that is used in `description` and in support tables: `linux` or `plain`.
    String name();

    /// Returns whether this implementation works on this machine, with this process's options. Called once.
    /// Must not print warnings.
    boolean usable();

    /// Creates a file of `bytes` zero bytes, for which no memory is allocated yet. Only this user can open the
    /// file, and it is deleted when the last process that has it open ends.
    JobFile createFile(String label, long bytes) throws IOException;

    /// Creates a pipe that other processes of this user can open; null if this is not possible.
    default @Nullable OutputPipe createPipe() {
        return null;
    }

    /// Prepares, on a separate thread, operations whose first call takes tens of milliseconds.
    void prepare();

    /// Returns whether [#sleep] and [#wake] work between processes; if not, a waiting thread must poll. The
    /// result may change from false to true later.
    boolean canSleep();

    /// Returns whether [#wake] wakes threads of other processes. In contrast to [#canSleep], the result is
    /// valid from the start of the process. The result changes to false if the system refuses the system call.
    boolean canWake();

    /// Returns all memory of this process as one segment in which offsets are addresses; null if this is not
    /// supported.
    default @Nullable MemorySegment allMemory() {
        return null;
    }

    /// Returns `memory` as a segment with the lifetime of `arena`, during which `memory` stays reachable;
    /// returns `memory` unchanged if this is not supported.
    default MemorySegment view(MemorySegment memory, Arena arena) {
        return memory;
    }

    /// Like [#view(MemorySegment, Arena)], but also runs `end` when the arena is closed or, for an automatic
    /// arena, when the view and all slices have become unreachable. If this is not supported, returns `memory`
    /// unchanged and never runs `end`.
    default MemorySegment view(MemorySegment memory, Arena arena, Runnable end) {
        return memory;
    }

    /// Copies `bytes` bytes of `from` to `to`, faster than Java if the target memory was last used by a
    /// different core. Returns false without copying if this is not supported, or not supported yet.
    ///
    /// @throws InternalError if a page of `to` is missing when the copy begins, because the mapped file was
    ///     truncated
    default boolean copy(MemorySegment from, long fromAt, MemorySegment to, long toAt, long bytes) {
        return false;
    }

    /// Releases the memory of unused pages of shared memory; the next write allocates it again. Has no effect
    /// if this is not supported.
    default void release(MemorySegment memory) {}

    /// Sleeps while the aligned 32-bit integer at `offset` has the value `expected`, for at most `nanos`
    /// nanoseconds. May also return early without a reason.
    void sleep(MemorySegment memory, long offset, int expected, long nanos);

    /// Wakes all threads that sleep on the integer at `offset`.
    void wake(MemorySegment memory, long offset);

    /// Requests that the system kill this process when the parent ends. Ends the process immediately if the
    /// parent is no longer `parentPid`. If the system has no such signal, a daemon thread polls once per
    /// second.
    void dieWithParent(long parentPid);

    /// Sends a signal to a process. Has no effect if the process has ended or is owned by a different user.
    default void signal(long pid, int number) {}

    /// Returns whether [#bindThread] is supported.
    boolean canBind();

    /// Restricts the calling thread, and all processes and threads that it starts, to these cpus.
    ///
    /// @throws IOException if the system refuses: a cpu does not exist, or this process may run on none of the
    ///     cpus
    void bindThread(BitSet cpus) throws IOException;

    /// Returns the native implementation if one is present and permitted, otherwise the portable
    /// implementation. `-Dtutti.door=plain` always selects the portable implementation, in a launcher or,
    /// through `--jvm`, in ranks. This is intended for tests, and for sandboxes that forbid the system calls.
    static OsPlatform open() {
        return Holder.PROPERTY;
    }

    /// The holder of the implementation; there is one per process.
    final class Holder {
        private Holder() {}

        private static final OsPlatform PROPERTY = choose();

        private static OsPlatform choose() {
            if ("plain".equals(System.getProperty("tutti.door"))) return new PortablePlatform();
            for (OsPlatform platform : ServiceLoader.load(OsPlatform.class, OsPlatform.class.getClassLoader())) {
                if (platform.usable()) return platform;
            }
            return new PortablePlatform();
        }
    }
}
