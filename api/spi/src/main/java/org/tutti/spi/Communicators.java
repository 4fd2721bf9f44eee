package org.tutti.spi;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// How an engine makes communicators and frees them. Each call that all ranks of `parent` make counts among
/// its collective calls ([CommPort#countCall]). The caller gives what it gets its name and identity.
public interface Communicators {
    CommPort world();

    CommPort self();

    /// A new communicator for each `color`; ranks ordered by `key`, then by rank in `parent`. A negative
    /// color takes part and gets null. Collective and blocking. MPI 4.1, section 7.4.2.
    @Nullable
    CommPort split(CommPort parent, int color, int key);

    /// The same group in a new context. Collective and blocking.
    ///
    /// @param operation the user's, for errors
    CommPort dup(String operation, CommPort parent);

    /// Begins what [#dup] does; what is returned is started. Its order among the collective calls on `parent`
    /// is that of this call.
    Collective startDup(CommPort parent);

    /// What [#startDup] began and is done, without failure.
    CommPort finishDup(Collective done);

    /// As [#split], by the machine: a communicator for the ranks of each node that share memory, ordered by
    /// `key`. A rank that passes a negative color takes part and gets null; all other ranks pass 0. MPI 4.1,
    /// section 7.4.2.
    @Nullable
    CommPort splitShared(CommPort parent, int color, int key);

    /// A communicator of some of `parent`'s ranks, in this order. Collective over those ranks alone,
    /// which all pass the same `ranks` and `tag`; the caller is one of them. `MPI_Comm_create_group`,
    /// section 7.4.2.
    CommPort createGroup(CommPort parent, int[] ranks, int tag);

    /// As [#createGroup], without a parent and of processes that need not all be of this world.
    ///
    /// @param operation the user's, for errors
    /// @param processes as [CommPort#process] returns them
    /// @param key the same on all members; different from that of every other creation in progress that has a
    ///     member in common
    CommPort createOfProcesses(String operation, int[] processes, CreationKey key);

    /// The world's ranks on this machine, in their order; null where that is not known. Local.
    default int @Nullable [] ranksOfMachine() {
        return IntStream.range(0, world().size()).toArray();
    }

    /// Gives back what the port holds. Local as far as the engine can.
    void free(CommPort port);
}
