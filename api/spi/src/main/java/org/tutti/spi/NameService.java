package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// How processes of different worlds find each other: a power of engines whose memory several worlds share. Local.
public interface NameService extends Power {
    /// Lets all know `value` by `key`, until it is withdrawn or this process leaves. Returns false when another
    /// value is known by it.
    ///
    /// @throws Fault `ERR_NO_MEM`
    boolean publish(String key, String value, String operation);

    /// Null when there is none.
    @Nullable
    String find(String key);

    /// Returns whether there was one.
    boolean withdraw(String key);

    /// A communicator of all processes that there have been, without collective calls: the rank of each is its
    /// [CommPort#process].
    CommPort allProcesses();

    /// Whether this process, as [CommPort#process] says it, has left or ended.
    boolean isGone(int process);
}
