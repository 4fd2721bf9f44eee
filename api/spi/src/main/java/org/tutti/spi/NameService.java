package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Enables processes of different worlds to find each other: a capability of engines with memory that several
/// worlds share. All methods are local.
public interface NameService extends Power {
    /// Publishes `value` under `key` until it is withdrawn or this process terminates. Returns false if a value
    /// is already published under the key.
    ///
    /// @throws Fault `ERR_NO_MEM` if the memory is not sufficient
    boolean publish(String key, String value, String operation);

    /// Returns the published value; null if no value is published.
    @Nullable
    String find(String key);

    /// Withdraws the value of `key`. Returns whether a value was published.
    boolean withdraw(String key);

    /// Returns a communicator of all processes, including terminated processes, on which collective calls are
    /// not possible. The rank of a process is its [CommPort#process].
    CommPort allProcesses();

    /// Returns whether a process has left the job or has terminated.
    ///
    /// @param process the number that [CommPort#process] returns
    boolean hasLeftOrDied(int process);
}
