package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Lets processes of different worlds find each other: a capability of engines whose memory several worlds
/// share. Local.
public interface NameService extends Power {
    /// Publishes `value` under `key` until it is withdrawn or this process leaves. Returns false if another
    /// value is published under the key.
    ///
    /// @throws Fault `ERR_NO_MEM` if there is not enough memory
    boolean publish(String key, String value, String operation);

    /// Returns the published value; null if there is none.
    @Nullable
    String find(String key);

    /// Withdraws a value, and returns whether there was one.
    boolean withdraw(String key);

    /// Returns a communicator of all processes that have ever existed, without collective calls. The rank of a
    /// process is its [CommPort#process].
    CommPort allProcesses();

    /// Returns whether a process has left or ended.
    ///
    /// @param process the number that [CommPort#process] returns
    boolean isGone(int process);
}
