package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Lets new processes and the ranks that start them talk to each other: a power of engines whose memory others can
/// attach.
public interface Spawning extends Power {
    /// Makes room for a new world of `size` processes. Local, by one of the parents. Returns what the other parents
    /// and the new processes are to be told: the latter find it in
    /// [org.tutti.job.environment.RankEnvironment#PARENT].
    ///
    /// @param parents as [CommPort#process] says them, in the order of their ranks
    /// @throws Fault `ERR_SPAWN` or `ERR_NO_MEM` when there is no room, or this process's memory is its own
    String invite(int[] parents, int size);

    /// The intercommunicator of parents, first, and the world that was invited. Local; all of both call it.
    CommPort meet(String invitation);

    /// The launcher has seen the processes of the new world end, without leaving: so whoever waits for one of them
    /// shall know, and nobody miss their messages. Local.
    void haveDied(String invitation);

    /// How this process was invited; null if it was not spawned.
    @Nullable
    String invitation();
}
