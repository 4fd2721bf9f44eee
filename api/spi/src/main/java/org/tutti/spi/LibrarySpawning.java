package org.tutti.spi;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Lets new processes and the ranks that start them talk to each other: a power of engines over a library, which
/// starts them itself. See [Spawning] for the other way.
public interface LibrarySpawning extends Power {
    /// What some of the new processes are to run.
    ///
    /// @param line the program and its arguments
    record Command(List<String> line, int processes) {}

    /// What new processes are to find in their environment so that they know who they are: a value for each name.
    /// Local, by the root, which tells the others the value of [org.tutti.job.environment.RankEnvironment#PARENT].
    Map<String, String> invite(CommPort parents);

    /// How many processes the library has room for, as far as this one knows; [Integer#MAX_VALUE] where it does
    /// not. Local.
    int room();

    /// Starts them, and waits until they are there. By the root alone, because a library need not tell the others
    /// when it fails.
    ///
    /// @throws Fault `ERR_SPAWN` when the library cannot
    void start(String invitation, List<Command> commands);

    /// The intercommunicator of parents, first, and of those that their root has started. Collective over both.
    CommPort meet(CommPort parents, int root, String invitation);

    /// The intercommunicator of the ranks that have spawned this world, first, and of this world; null if none has.
    @Nullable
    CommPort parent();
}
