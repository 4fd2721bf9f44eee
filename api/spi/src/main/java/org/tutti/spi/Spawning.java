package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Connects new processes with the ranks that start them: a capability of engines with memory that other
/// processes can attach.
public interface Spawning extends Power {
    /// Reserves a new world of `size` processes. Local. Called by one of the parents. Returns the invitation
    /// for the other parents and for the new processes; the new processes find it in
    /// [org.tutti.job.environment.RankEnvironment#PARENT].
    ///
    /// @param parents the numbers that [CommPort#process] returns, in rank order
    /// @throws Fault `ERR_SPAWN` or `ERR_NO_MEM` if the memory is not sufficient, or if other processes cannot
    ///     attach this process's memory
    String invite(int[] parents, int size);

    /// Returns the intercommunicator of the parents, which are the first group, and the invited world. Local.
    /// Called by all ranks of the two groups.
    CommPort meet(String invitation);

    /// Reports that the launcher has detected an abnormal end of processes of the new world, so that waits for
    /// these processes fail. Local.
    void haveDied(String invitation);

    /// Returns the invitation of this process; null if this process was not spawned.
    @Nullable
    String invitation();
}
