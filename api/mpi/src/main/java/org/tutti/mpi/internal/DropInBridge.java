package org.tutti.mpi.internal;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Functions that only programs for another API need.
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

    /// Leaves the job as `MPI_Finalize` does: waits for all ranks, so that what was sent and is received has
    /// arrived. Nothing is an error then: requests that are pending, messages that nobody has received, and
    /// what was never closed are dropped and not reported. Collective over the world, blocking. A second call
    /// does nothing.
    ///
    /// @param mpi an `org.tutti.mpi.Mpi`
    public abstract void leave(AutoCloseable mpi);

    /// Ends the whole job, as `Mpi.abort` does, with an error as the cause that its report names.
    ///
    /// @param mpi an `org.tutti.mpi.Mpi`
    public abstract void abort(AutoCloseable mpi, int code, String why);

    /// Describes a `boolean[]` as elements of a type of bytes.
    ///
    /// @param bytes an `org.tutti.mpi.Datatype` of `BYTE`
    /// @return an `org.tutti.mpi.Buf`
    public abstract Object booleans(boolean[] array, long offset, long count, Object bytes);

    /// Returns zeroed memory that all ranks of the job reach, and that is given back when it has become
    /// unreachable; null if the engine has no such memory, or no room.
    ///
    /// @param mpi an `org.tutti.mpi.Mpi`
    public abstract @Nullable MemorySegment allocateCollected(AutoCloseable mpi, long bytes);

    /// Creates a window over memory of the program. If the memory is of [#allocateCollected] or of
    /// `Mpi.alloc`, and the engine can, other ranks access it in place: the unified memory model holds.
    /// Collective, as `Window.of`.
    ///
    /// @param comm an `org.tutti.mpi.Comm`
    /// @return an `org.tutti.mpi.Window`, to be closed by its `free`
    public abstract AutoCloseable window(Object comm, MemorySegment memory, int unitBytes);

    /// From now on classes of this very package are no lines of the user's in reports.
    public abstract void isNotUsers(String packageName);
}
