package org.tutti.mpi.spi;

/// An engine's side of a communicator. Engines subclass it and keep context ids or native handles there.
public abstract class CommPort {
    private final int rank;
    private final int size;
    private volatile String name;

    protected CommPort(int rank, int size, String name) {
        this.rank = rank;
        this.size = size;
        this.name = name;
    }

    /// The caller's rank in this communicator.
    public final int rank() {
        return rank;
    }

    public final int size() {
        return size;
    }

    /// The rank in the world of one of this communicator's ranks.
    public abstract int worldRank(int rank);

    /// What errors call it: `WORLD`, `SELF`, or the name its user gave.
    public final String name() {
        return name;
    }

    public final void name(String newName) {
        name = newName;
    }

    /// `rank 1 of 4, WORLD`: the end of every error's text.
    @Override
    public final String toString() {
        return "rank " + rank + " of " + size + ", " + name;
    }
}
