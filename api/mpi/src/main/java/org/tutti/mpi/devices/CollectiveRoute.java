package org.tutti.mpi.devices;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Executes blocking collective calls on device memory. The data is transferred directly between the devices of
/// a communicator's ranks, and not through the host.
///
/// A call uses the route if the data of all ranks is on these devices. The ranks agree on the route before each
/// call, so a call in which some rank passes an array is correct, too. The ranks communicate for the agreement
/// only if [#isWorth] returns true. That method must return the same result on all ranks.
///
/// The caller has checked the arguments. Buffers are on the device of this rank, and have the same type on all
/// ranks.
///
/// @param <M> `org.tutti.mpi.DeviceMemory`
/// @param <O> `org.tutti.mpi.Op`
public abstract class CollectiveRoute<M, O> {
    private static volatile @Nullable BiConsumer<Object, CollectiveRoute<?, ?>> connector;

    protected CollectiveRoute() {}

    /// Called once, by the user API.
    public static void open(BiConsumer<Object, CollectiveRoute<?, ?>> newConnector) {
        connector = newConnector;
    }

    /// Installs this route for blocking collective calls of `comm`. A second route replaces the first.
    /// Collective.
    ///
    /// @param comm an `org.tutti.mpi.Comm`
    public final void connect(Object comm) {
        BiConsumer<Object, CollectiveRoute<?, ?>> known = connector;
        if (known == null) throw new IllegalStateException("org.tutti.mpi.Mpi was not loaded");
        known.accept(comm, this);
    }

    /// Returns whether the route, including the agreement of the ranks, is faster than the engine for calls in
    /// which each rank has a buffer or block of this size.
    public abstract boolean isWorth(long bytes);

    /// Returns whether the route can access this memory and, unless `op` is null, combine the elements by `op`.
    public abstract boolean reaches(M memory, @Nullable O op);

    /// Returns whether all ranks pass true. Collective.
    public abstract boolean all(boolean mine);

    /// Combines `send` of all ranks into `recv`, which is at least as large as `send`. In a call in place,
    /// `send` and `recv` are the same memory.
    public abstract void allreduce(M send, M recv, O op);

    /// Like [#allreduce], but only the root receives the result; `recv` is null on the other ranks.
    public abstract void reduce(M send, @Nullable M recv, O op, int root);

    public abstract void bcast(M buffer, int root);

    public abstract void allgather(M send, M recv);

    public abstract void reduceScatterBlock(M send, M recv, O op);

    public abstract void alltoall(M send, M recv);

    /// Returns the name of the route, for `Comm.explain`.
    @Override
    public abstract String toString();
}
