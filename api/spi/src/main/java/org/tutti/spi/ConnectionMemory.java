package org.tutti.spi;

/// Memory of this machine in which groups of processes meet. Each process that enters it has an engine of its own
/// there, which knows nothing of the one that the process's job runs on: if a process of the other group dies, this
/// engine fails, and the job goes on.
///
///     server: alone ── NameService, messages ──▶ client: alone          who are you, where do we meet
///             │ Spawning.invite                                              (a text)
///             enter(text, false, rank)                enter(text, true, rank)      each rank of both groups
///                     └──── Spawning.meet(text): one communicator of both groups ────┘
public interface ConnectionMemory {
    /// Where other processes of this user attach it, while the process that made it has not closed it.
    String address();

    /// Numbers for `count` new processes; returns the first.
    ///
    /// @throws Fault `ERR_NO_MEM`, `ERR_SPAWN` when there are none left
    int newProcesses(int count, String operation);

    /// This process enters by itself, to find others and to be found.
    ///
    /// @throws Fault as [#newProcesses]
    Engine enterAlone(String operation);

    /// This process enters as a rank of one of two groups.
    ///
    /// @param invitation what [Spawning#invite] has returned to a process of this memory
    /// @param invited whether it is of the group that was invited, not of the one that invites
    Engine enter(String invitation, boolean invited, int rank);

    /// Nobody attaches it any more; who has it keeps it.
    void close();
}
