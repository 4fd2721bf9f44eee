package org.tutti.train;

import org.tutti.mpi.Comm;

/// A group that uses MPI, such as the groups of `tutti run`, mpirun and srun.
///
///     if (group instanceof MpiProcessGroup m) device = Device.forRank(m.comm());
public interface MpiProcessGroup extends ProcessGroup {
    /// Returns the communicator of the group's ranks, for calls by all ranks. It is open as long as the group.
    Comm comm();

    /// Runs `action` on all ranks after all have started to close the group, while the communicator is open.
    /// Does not run if this rank has failed, or other ranks call different operations.
    void beforeClose(Runnable action);
}
