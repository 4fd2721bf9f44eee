package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Lets processes of different worlds find each other: a capability of engines with memory that several worlds
/// share. Local.
public interface NameService extends Power {
    /// Publishes `value` under `key` until it is withdrawn or this process terminates. Returns false if a value
    /// is already published under the key.
    ///
    /// @throws Fault `ERR_NO_MEM` if the memory is not sufficient
    boolean publish(String key, String value, String operation);

    /// Returns the published value; null if no value is published.
    @Nullable
    String find(String key);

    /// Withdraws a value, and returns whether there was one.
    boolean withdraw(String key);

    /// Returns a communicator of all processes, including terminated processes, without collective calls. The
    /// rank of a process is [CommPort#process].
    CommPort allProcesses();

    /// Returns whether a process has left or ended.
    ///
    /// @param process the number that [CommPort#process] returns
    boolean hasLeftOrDied(int process);
}
