package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// What an engine knows of messages that nobody will receive: MPI asks of a program that there are none at
/// its end (MPI 4.1, section 11.2.2).
public interface MessageAudit extends Power {
    /// Whether `send`, which is not done, will be received even after this rank has left: its bytes lie where
    /// the receiver finds them.
    boolean outlives(Transfer send);

    /// What users' messages, as far as this engine can tell, will never be received: those that lie here,
    /// and those of this rank to ranks that have left. Asked of a rank that is about to leave or has
    /// left, of which no request is pending. Text for an error; null when there are none. Never waits.
    @Nullable
    String unreceived();
}
