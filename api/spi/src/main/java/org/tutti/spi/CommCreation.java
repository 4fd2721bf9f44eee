package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A call that creates a communicator or a window, as observers see it.
public final class CommCreation implements ObservedCall {
    /// The operation's name in the API: `split`, `idup`.
    public final String operation;

    public final CommPort parent;

    /// The sequence number of this collective call on `parent`; 0 if the call is not counted, for example
    /// because only some ranks of `parent` call.
    public final long call;

    /// Whether processes of other worlds take part.
    public final boolean isOfSeveralWorlds;

    /// Whether the call lasts until the started processes have joined.
    public final boolean startsProcesses;

    private @Nullable Collective started;

    public CommCreation(String operation, CommPort parent, long call) {
        this(operation, parent, call, parent.isOfSeveralWorlds());
    }

    public CommCreation(String operation, CommPort parent, long call, boolean isOfSeveralWorlds) {
        this(operation, parent, call, isOfSeveralWorlds, false);
    }

    private CommCreation(
            String operation, CommPort parent, long call, boolean isOfSeveralWorlds, boolean startsProcesses) {
        this.startsProcesses = startsProcesses;
        this.isOfSeveralWorlds = isOfSeveralWorlds;
        this.operation = operation;
        this.parent = parent;
        this.call = call;
    }

    /// Returns the creation of an intercommunicator with processes that the MPI library starts.
    public static CommCreation ofSpawned(CommPort parents) {
        return new CommCreation("spawn", parents, 0, true, true);
    }

    /// Returns the call that a nonblocking creation has started; null for a blocking creation.
    public @Nullable Collective started() {
        return started;
    }

    public void started(Collective activity) {
        started = activity;
    }
}
