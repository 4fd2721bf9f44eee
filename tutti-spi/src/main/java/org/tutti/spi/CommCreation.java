package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A call that makes a communicator, as observers see it.
public final class CommCreation {
    /// The user's word for it: `split`, `idup`.
    public final String operation;

    public final CommPort parent;

    /// Its number among the collective calls on `parent`; 0 for one that only some of its ranks make.
    public final long call;

    /// Whether ranks fill memory in it, which takes as long as there is much.
    public final boolean fills;

    /// Whether processes of other worlds take part.
    public final boolean isOfSeveralWorlds;

    /// Whether it lasts until processes that are started have joined.
    public final boolean startsProcesses;

    private @Nullable Collective started;

    public CommCreation(String operation, CommPort parent, long call) {
        this(operation, parent, call, false);
    }

    public CommCreation(String operation, CommPort parent, long call, boolean fills) {
        this(operation, parent, call, fills, parent.isOfSeveralWorlds());
    }

    public CommCreation(String operation, CommPort parent, long call, boolean fills, boolean isOfSeveralWorlds) {
        this(operation, parent, call, fills, isOfSeveralWorlds, false);
    }

    private CommCreation(
            String operation,
            CommPort parent,
            long call,
            boolean fills,
            boolean isOfSeveralWorlds,
            boolean startsProcesses) {
        this.startsProcesses = startsProcesses;
        this.fills = fills;
        this.isOfSeveralWorlds = isOfSeveralWorlds;
        this.operation = operation;
        this.parent = parent;
        this.call = call;
    }

    /// Of an intercommunicator with processes that the engine's library starts.
    public static CommCreation ofSpawned(CommPort parents) {
        return new CommCreation("spawn", parents, 0, false, true, true);
    }

    /// What a nonblocking one has started; null of any other.
    public @Nullable Collective started() {
        return started;
    }

    public void started(Collective activity) {
        started = activity;
    }
}
