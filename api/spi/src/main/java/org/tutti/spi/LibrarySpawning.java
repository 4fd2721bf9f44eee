package org.tutti.spi;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Connects new processes with the ranks that start them: a capability of engines over a library, if the
/// library starts the processes. Engines with memory that other processes can attach have [Spawning] instead.
public interface LibrarySpawning extends Power {
    /// The command of some of the new processes.
    ///
    /// @param line the program and the arguments
    record Command(List<String> line, int processes) {}

    /// Returns the environment variables by which new processes recognize the parents. Local. Called by the
    /// root, which sends the value of [org.tutti.job.environment.RankEnvironment#PARENT] to the other parents.
    Map<String, String> invite(CommPort parents);

    /// Returns the number of processes that the library can start, as far as this process can determine;
    /// [Integer#MAX_VALUE] if the number is unknown. Local.
    int room();

    /// Starts the processes and waits until all of these have joined. Called only by the root, because a
    /// library need not report a failure to the other parents.
    ///
    /// @throws Fault `ERR_SPAWN` if the library fails
    void start(String invitation, List<Command> commands);

    /// Returns the intercommunicator of the parents, which are the first group, and the processes that the root
    /// has started. Collective over the two groups.
    CommPort meet(CommPort parents, int root, String invitation);

    /// Returns the intercommunicator of the ranks that have spawned this world, which are the first group, and
    /// this world; null if this world was not spawned.
    @Nullable
    CommPort parent();
}
