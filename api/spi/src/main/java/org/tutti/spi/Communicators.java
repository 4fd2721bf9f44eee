package org.tutti.spi;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Creates and frees the communicators of an engine. A creation that is collective over `parent` counts as a
/// collective call on `parent` ([CommPort#countCall]). The caller sets name and identity of the result.
public interface Communicators {
    CommPort world();

    CommPort self();

    /// Creates a communicator for each `color`, with ranks ordered by `key`, then by rank in `parent`. A rank
    /// with a negative color participates and receives null. Collective, blocking. MPI 4.1, section 7.4.2.
    @Nullable
    CommPort split(CommPort parent, int color, int key);

    /// Creates a communicator of the same group in a new context. Collective, blocking.
    ///
    /// @param operation the operation's name in the API, which is used in errors
    CommPort dup(String operation, CommPort parent);

    /// Starts [#dup], and returns the started call. The position of this call in the sequence of collective
    /// calls on `parent` is the position of the duplication.
    Collective startDup(CommPort parent);

    /// Finishes [#startDup] after the call that it returned is done without failure. Returns the new
    /// communicator.
    CommPort finishDup(Collective done);

    /// Creates one communicator for each set of ranks that share memory, with ranks ordered by `key`. A rank
    /// that passes a negative color participates and receives null; all other ranks pass 0. MPI 4.1, section
    /// 7.4.2.
    @Nullable
    CommPort splitShared(CommPort parent, int color, int key);

    /// Creates a communicator of some ranks of `parent`, in this order. Collective over only these ranks, which
    /// include the caller and must pass the same `ranks` and `tag`. `MPI_Comm_create_group`, MPI 4.1, section
    /// 7.4.2.
    CommPort createGroup(CommPort parent, int[] ranks, int tag);

    /// Creates a communicator as [#createGroup] does, but without a parent. The processes may be in different
    /// worlds.
    ///
    /// @param operation the operation's name in the API, which is used in errors
    /// @param processes the numbers that [CommPort#process] returns
    /// @param key equal on all members, and different from the key of every other creation in progress that has
    ///     a common member
    CommPort createOfProcesses(String operation, int[] processes, CreationKey key);

    /// Returns the world's ranks on this machine, in order; null if these ranks are not known. Local.
    default int @Nullable [] ranksOfMachine() {
        return IntStream.range(0, world().size()).toArray();
    }

    /// Frees the resources of the port. Local as far as the engine permits.
    void free(CommPort port);
}
