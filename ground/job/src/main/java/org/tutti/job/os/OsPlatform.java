package org.tutti.job.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/// The one door to the operating system: shared files without a name, waiting on a word of shared memory,
/// death of the parent, cpus to run on. [PortablePlatform] does what Java alone can; a native one is a service that
/// is taken when it may be used.
public interface OsPlatform {
    /// For `description` and support tables: `linux`, `plain`.
    String name();

    /// Whether this machine, this process and its flags let it work. Asked once; must not warn.
    boolean usable();

    /// A file of `bytes` bytes, all zero and none of them taken from memory yet, which only this user can
    /// open and which is gone when the last process that has it open ends.
    JobFile createFile(String label, long bytes) throws IOException;

    /// Creates a pipe that other processes of this user can open; null where this is not possible.
    default @Nullable OutputPipe createPipe() {
        return null;
    }

    /// Does, in a thread of its own, what the first call would take tens of milliseconds for.
    void prepare();

    /// Whether [#sleep] and [#wake] work between processes; where they do not, who waits has to look again
    /// and again. May become true later.
    boolean canSleep();

    /// All memory of this process as one segment, whose offsets are addresses; null where it cannot be had.
    default @Nullable MemorySegment allMemory() {
        return null;
    }

    /// `memory` as a segment that lives as long as `arena`, and keeps `memory` as long as somebody has it;
    /// where that cannot be made, `memory` itself.
    default MemorySegment view(MemorySegment memory, Arena arena) {
        return memory;
    }

    /// As [#view(MemorySegment, Arena)], and runs `end` when the arena is closed or, for an automatic arena,
    /// when the view and its slices have become unreachable. `memory` itself, and `end` is never run, where
    /// that cannot be made.
    default MemorySegment view(MemorySegment memory, Arena arena, Runnable end) {
        return memory;
    }

    /// Copies `bytes` bytes of `from` into `to`, faster than Java where that memory was last used by another core.
    /// Returns false without copying where that is not possible, or not yet.
    ///
    /// @throws InternalError if a page of `to` has lost its memory before the copy begins
    default boolean copy(MemorySegment from, long fromAt, MemorySegment to, long toAt, long bytes) {
        return false;
    }

    /// Gives back the pages of shared memory that nobody uses, until they are written again. Where that
    /// cannot be done, nothing.
    default void release(MemorySegment memory) {}

    /// Sleeps while the aligned 32-bit `word` at `offset` has the value `expected`, for at most `nanos`; may
    /// also return early for no reason.
    void sleep(MemorySegment memory, long offset, int expected, long nanos);

    /// Wakes all that sleep on the word.
    void wake(MemorySegment memory, long offset);

    /// From now on this process is killed when its parent ends; ends it at once when the parent is not
    /// `parentPid` any more. Where the system has no such signal, a daemon thread looks once a second.
    void dieWithParent(long parentPid);

    /// Sends a signal to a process; does nothing when it has ended or belongs to another user.
    default void signal(long pid, int number) {}

    /// Whether [#bindThread] works.
    boolean canBind();

    /// From now on the calling thread, and the processes and threads that it starts, run on these cpus only.
    ///
    /// @throws IOException if the system refuses: there is no such cpu, or this process may not run on any of
    ///     them
    void bindThread(BitSet cpus) throws IOException;

    /// The native door when one is present and may be used, else the plain one. `-Dtutti.door=plain` chooses
    /// the plain one all the same, in a launcher or, through `--jvm`, in ranks: to test it, and where a
    /// sandbox forbids the calls.
    static OsPlatform open() {
        return Holder.DOOR;
    }

    /// One per process.
    final class Holder {
        private Holder() {}

        private static final OsPlatform DOOR = choose();

        private static OsPlatform choose() {
            if ("plain".equals(System.getProperty("tutti.door"))) return new PortablePlatform();
            for (OsPlatform door : ServiceLoader.load(OsPlatform.class, OsPlatform.class.getClassLoader())) {
                if (door.usable()) return door;
            }
            return new PortablePlatform();
        }
    }
}
