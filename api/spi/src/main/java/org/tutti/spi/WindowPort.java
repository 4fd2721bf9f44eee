package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The engine's part of a window. Ranks are ranks of [#port]. The caller has checked epochs, targets and
/// ranges. Threads may call concurrently as far as the epochs permit.
///
/// Methods do not wait for other ranks. A method that may have to wait returns the [LocalWait] that ends when
/// the method has taken effect, or null if it has already taken effect.
public abstract class WindowPort {
    private final CommPort port;

    protected WindowPort(CommPort port) {
        this.port = port;
    }

    /// Returns the window's private communicator.
    public final CommPort port() {
        return port;
    }

    /// Returns the size of a rank's memory.
    public abstract long bytes(int rank);

    /// Returns the displacement unit of a rank's memory.
    public abstract int unitBytes(int rank);

    /// Returns the memory of a rank for loads and stores, valid until [#free].
    ///
    /// @throws Fault `ERR_RMA_SHARED` if the memory is that of a different rank and cannot be shared
    public abstract MemorySegment memory(int rank);

    /// Runs an access until the operands can be reused and the results are available. The data of a put is at
    /// the target only after [#flush] or the end of the epoch.
    public abstract void run(Access access);

    /// Completes all accesses to `target`, at the origin and at the target (MPI 4.1, section 12.5.4).
    public abstract void flush(int target);

    /// Completes all accesses to all targets.
    public abstract void flushAll();

    /// Makes other ranks' puts visible to loads of this rank, and this rank's stores visible to other ranks'
    /// gets (MPI 4.1, section 12.5.4).
    public abstract void sync();

    /// Locks `target`, which begins an access epoch (MPI 4.1, section 12.5.3).
    public abstract @Nullable LocalWait lock(int target, boolean exclusive);

    /// Returns the line that this rank has last recorded for `target` by [#lockLine(int, int)]; 0 if it has
    /// recorded none, and -1 if the window records no lines because no other rank could read them.
    public int lockLine(int target) {
        return -1;
    }

    /// Records the source line at which this rank requests the lock of `target`, for ranks that wait for the
    /// lock. `line` is the number of a string in this rank's recorder. A rank that detects this rank as the
    /// holder of the lock can read the line.
    public void lockLine(int target, int line) {}

    /// Unlocks `target`, which ends the access epoch.
    public abstract void unlock(int target);

    /// Exposes this rank's memory to `origins` (MPI 4.1, section 12.5.2).
    public abstract void post(int[] origins);

    /// Begins an access epoch at `targets`, which call [#post].
    public abstract @Nullable LocalWait start(int[] targets);

    /// Ends the access epoch at `targets`, which have called [#post].
    public abstract void complete(int[] targets);

    /// Ends the exposure to `origins` when these have called [#complete].
    public abstract @Nullable LocalWait await(int[] origins);

    /// Ends the exposure if all `origins` have called [#complete]; otherwise returns false. Does not wait.
    public abstract boolean test(int[] origins);

    /// Frees this rank's part of the window. Local; called after the last access of any rank to the window.
    ///
    /// @throws Fault `ERR_WIN` if a call uses the memory
    public abstract void free();
}
