package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// An engine's side of a window. Ranks are those of [#port]. The caller has checked that epochs, targets and ranges
/// are right; threads may call at the same time as far as that allows.
///
/// What waits for other ranks does not wait here: it returns the [LocalWait] that is over when it has its effect,
/// or null when it has it already.
public abstract class WindowPort {
    private final CommPort port;

    protected WindowPort(CommPort port) {
        this.port = port;
    }

    /// The communicator that is this window's own.
    public final CommPort port() {
        return port;
    }

    /// The length of a rank's memory.
    public abstract long bytes(int rank);

    /// What displacements into a rank's memory count in.
    public abstract int unitBytes(int rank);

    /// The memory of a rank, to load from and to store to, until [#free].
    ///
    /// @throws Fault `ERR_RMA_SHARED` when it is another rank's and cannot be shared
    public abstract MemorySegment memory(int rank);

    /// Runs it, until its operands may be used again and its results are here. What is put is sure to be there only
    /// after [#flush] or the end of the epoch.
    public abstract void run(Access access);

    /// Completes all accesses to `target`, here and there (MPI 4.1, section 12.5.4).
    public abstract void flush(int target);

    /// The same for all targets.
    public abstract void flushAll();

    /// What other ranks have put is seen by loads, and what this rank has stored by others' gets (MPI 4.1, section
    /// 12.5.4).
    public abstract void sync();

    /// Begins an access epoch at `target` (MPI 4.1, section 12.5.3).
    public abstract @Nullable LocalWait lock(int target, boolean exclusive);

    /// What [#lockLine(int, int)] has noted last; 0 for nothing, and -1 where the window notes nothing, because no
    /// other rank could tell.
    public int lockLine(int target) {
        return -1;
    }

    /// Notes for others, who may wait for it, where this rank asks for the lock of `target`: the number of a line
    /// among the texts of its recorder. Other ranks see it once they see that it holds the lock.
    public void lockLine(int target, int line) {}

    /// Ends it.
    public abstract void unlock(int target);

    /// Exposes this rank's memory to `origins` (MPI 4.1, section 12.5.2).
    public abstract void post(int[] origins);

    /// Begins an access epoch at targets that post.
    public abstract @Nullable LocalWait start(int[] targets);

    /// Ends it.
    public abstract void complete(int[] targets);

    /// Ends the exposure to `origins`, which complete.
    public abstract @Nullable LocalWait await(int[] origins);

    /// The same without a wait: false while not all have completed.
    public abstract boolean test(int[] origins);

    /// Gives back what the window holds, as soon as all ranks have. Local.
    ///
    /// @throws Fault `ERR_WIN` while a call uses the memory
    public abstract void free();
}
