package org.tutti.train;

/// What carries messages without MPI; found as a service.
public interface Backend {
    /// `gloo` for instance.
    String name();

    /// Connects this rank with the other ranks.
    ///
    /// @throws org.tutti.train.TrainingException when they have not all come within the time, naming those
    ///     that have not
    ProcessGroup join(Rendezvous rendezvous);
}
