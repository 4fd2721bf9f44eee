package org.tutti.mpi.internal;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Functions that only compatibility layers need.
public abstract class DropInBridge {
    private static volatile @Nullable DropInBridge installed;

    protected DropInBridge() {}

    /// Called once, by the user API.
    public static void install(DropInBridge bridge) {
        installed = bridge;
    }

    /// Returns the bridge that the user API has installed.
    public static DropInBridge get() {
        DropInBridge bridge = installed;
        if (bridge == null) throw new IllegalStateException("org.tutti.mpi.Mpi was not loaded");
        return bridge;
    }

    /// Leaves the job as `MPI_Finalize` does: waits for all ranks, so that all messages with a matching receive
    /// have arrived. Pending requests, unreceived messages and open objects are dropped without an error or a
    /// report. Collective over the world, blocking. A second call has no effect.
    ///
    /// @param mpi an `org.tutti.mpi.Mpi`
    public abstract void leave(AutoCloseable mpi);

    /// Ends the whole job like `Mpi.abort`. The report states the error as the cause.
    ///
    /// @param mpi an `org.tutti.mpi.Mpi`
    public abstract void abort(AutoCloseable mpi, int code, String why);

    /// Describes a `boolean[]` as elements of the type `bytes`.
    ///
    /// @param bytes an `org.tutti.mpi.Datatype` of `BYTE`
    /// @return an `org.tutti.mpi.Buf`
    public abstract Object booleans(boolean[] array, long offset, long count, Object bytes);

    /// Returns zeroed memory that all ranks of the job can access, and that is released when it becomes
    /// unreachable. Returns null if the engine has no such memory, or not enough of it.
    ///
    /// @param mpi an `org.tutti.mpi.Mpi`
    public abstract @Nullable MemorySegment allocateCollected(AutoCloseable mpi, long bytes);

    /// Creates a window over memory of the program. If [#allocateCollected] or `Mpi.alloc` has allocated the
    /// memory, and if the engine supports this, other ranks access the memory directly, and the memory model is
    /// unified. Collective, like `Window.of`.
    ///
    /// @param comm an `org.tutti.mpi.Comm`
    /// @return an `org.tutti.mpi.Window`, which the caller must close by `free`
    public abstract AutoCloseable window(Object comm, MemorySegment memory, int unitBytes);

    /// Declares that classes of exactly this package are not classes of the program, so that reports do not
    /// name source lines in them.
    public abstract void isNotUsers(String packageName);
}
