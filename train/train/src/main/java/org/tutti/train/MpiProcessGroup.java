package org.tutti.train;

import org.tutti.mpi.Comm;

/// A group whose messages MPI carries, as those of `tutti run`, mpirun and srun are.
///
///     if (group instanceof MpiProcessGroup m) device = Device.forRank(m.comm());
public interface MpiProcessGroup extends ProcessGroup {
    /// The communicator of its ranks, for calls that all of them make. It is open as long as the group.
    Comm comm();

    /// Runs `action` on all ranks when all have begun to close the group, while its communicator is
    /// open. Not where this rank fails, or others do something else.
    void beforeClose(Runnable action);
}
