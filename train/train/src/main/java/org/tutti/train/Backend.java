package org.tutti.train;

/// Transport without MPI. Loaded as a service.
public interface Backend {
    /// Returns the name, for example `gloo`.
    String name();

    /// Connects this rank with the other ranks.
    ///
    /// @throws org.tutti.train.TrainingException if not all ranks have connected within the timeout; the
    ///     message names the missing ranks
    ProcessGroup join(Rendezvous rendezvous);
}
