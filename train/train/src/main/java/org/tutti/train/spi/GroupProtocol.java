package org.tutti.train.spi;

/// The protocol between `DistributedDataParallel` and process groups that implement this interface in addition
/// to `ProcessGroup`. For other groups, `allgather` is called at the end of a step.
public interface GroupProtocol {
    /// As `ProcessGroup.allgather(long...)`, at the end of a step. If a rank calls a different operation at
    /// this point, all ranks fail with a report, if the backend can detect this.
    long[] endOfStep(long... mine);

    /// Sets whether this rank has left a step early and will probably terminate. Then `close` does not wait for
    /// the other ranks.
    void setFailing(boolean failing);
}
