package org.tutti.train.spi;

/// The protocol between `DistributedDataParallel` and a process group, which implements this interface
/// besides `ProcessGroup`. For a group that does not, its `allgather` is called at the end of a step.
public interface GroupProtocol {
    /// As `ProcessGroup.allgather(long...)`, at the end of a step. A rank that calls something else at this
    /// point fails on all ranks with a report, if the backend can detect it.
    long[] endOfStep(long... mine);

    /// Sets whether this rank has left a step before its end and will probably terminate. Then `close` does not
    /// wait for the other ranks.
    void setFailing(boolean failing);
}
