package org.tutti.spi;

/// Memory of this machine in which groups of processes connect. Each process that enters the memory has a
/// separate engine there, independent of the engine of the process's job: if a process of the other group dies,
/// only this separate engine fails, and the job continues.
///
///     server: enterSeparately ── NameService, messages ──▶ client: enterSeparately      identity and address
///             │ Spawning.invite                                              (a string)
///             enter(text, false, rank)                enter(text, true, rank)      each rank of the two groups
///                     └──── Spawning.meet(text): one communicator of the two groups ────┘
public interface ConnectionMemory {
    /// Returns the address at which other processes of this user can attach the memory until the creator closes
    /// the memory.
    String address();

    /// Reserves numbers for `count` new processes, and returns the first.
    ///
    /// @throws Fault `ERR_SPAWN` if too few numbers are left, `ERR_NO_MEM` if the memory is not sufficient
    int newProcesses(int count, String operation);

    /// Adds this process without a group, so that it can find other processes and be found by other processes.
    ///
    /// @throws Fault as [#newProcesses]
    Engine enterSeparately(String operation);

    /// Adds this process as a rank to the inviting or the invited group.
    ///
    /// @param invitation the result of [Spawning#invite] in a process of this memory
    /// @param invited whether this process is in the invited group rather than in the inviting group
    Engine enter(String invitation, boolean invited, int rank);

    /// Prevents further processes from attaching. Processes that have attached the memory keep it.
    void close();
}
