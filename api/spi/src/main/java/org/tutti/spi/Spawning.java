package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Connects new processes with the ranks that start them: a capability of engines whose memory other processes
/// can attach.
public interface Spawning extends Power {
    /// Reserves a new world of `size` processes. Local, called by one of the parents. Returns the invitation
    /// for the other parents and for the new processes, which find it in
    /// [org.tutti.job.environment.RankEnvironment#PARENT].
    ///
    /// @param parents the numbers that [CommPort#process] returns, in the order of their ranks
    /// @throws Fault `ERR_SPAWN` or `ERR_NO_MEM` if there is not enough room, or other processes cannot attach
    ///     this process's memory
    String invite(int[] parents, int size);

    /// Returns the intercommunicator of the parents (first group) and the invited world. Local; called by all
    /// ranks of both.
    CommPort meet(String invitation);

    /// Reports that the launcher has seen the processes of the new world end without leaving, so that waits for
    /// them fail. Local.
    void haveDied(String invitation);

    /// Returns the invitation of this process; null if it was not spawned.
    @Nullable
    String invitation();
}
