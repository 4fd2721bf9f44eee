package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A call that makes a communicator, as observers see it.
public final class CommCreation implements ObservedCall {
    /// The user's word for it: `split`, `idup`.
    public final String operation;

    public final CommPort parent;

    /// Its number among the collective calls on `parent`; 0 for one that only some of its ranks make.
    public final long call;

    /// Whether processes of other worlds take part.
    public final boolean isOfSeveralWorlds;

    /// Whether it lasts until processes that are started have joined.
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

    /// Of an intercommunicator with processes that the engine's library starts.
    public static CommCreation ofSpawned(CommPort parents) {
        return new CommCreation("spawn", parents, 0, true, true);
    }

    /// What a nonblocking one has started; null of any other.
    public @Nullable Collective started() {
        return started;
    }

    public void started(Collective activity) {
        started = activity;
    }
}
