package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// A way between the devices of a communicator's ranks on which no data comes to the host, for blocking
/// collective calls with [DeviceMemory]: what a communicator may be given by [Comm#route].
///
/// A call goes this way when all ranks' data is on their devices, which they ask each other first, so a call in
/// which one rank has an array is right, too. They ask only where it pays: for [#isWorth] the same is known on all
/// ranks.
///
/// Arguments are right; buffers are on this rank's device, of the same type on all ranks.
public interface DeviceRoute {
    /// Whether it is quicker, even after the ranks have asked each other, for calls whose buffer, on each rank,
    /// or block, for each rank, has so many bytes.
    boolean isWorth(long bytes);

    /// Whether it reaches this memory, and can combine its elements, if `op` is not null.
    boolean reaches(DeviceMemory memory, @Nullable Op op);

    /// Whether all ranks say yes. Collective.
    boolean all(boolean mine);

    /// `recv` has room for all of `send`; in place it is the same.
    void allreduce(DeviceMemory send, DeviceMemory recv, Op op);

    /// As [#allreduce] at the root; `recv` is null on the others.
    void reduce(DeviceMemory send, @Nullable DeviceMemory recv, Op op, int root);

    void bcast(DeviceMemory buffer, int root);

    void allgather(DeviceMemory send, DeviceMemory recv);

    void reduceScatterBlock(DeviceMemory send, DeviceMemory recv, Op op);

    void alltoall(DeviceMemory send, DeviceMemory recv);

    /// Its name, for [Comm#explain].
    @Override
    String toString();
}
