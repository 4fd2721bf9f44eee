package org.tutti.spi;

/// The engine's part of a communicator. Engines subclass it to store context ids or native handles.
///
/// An intercommunicator is a view of a port that has the ranks of the two groups, one group after the other:
///
///     rank of the port    0 … first-1 │ first … size-1
///     for the caller      local group │ remote group, or vice versa
///
/// For an engine this port is like any other. Rank r of the remote group in the API is rank `peerBase() + r` of
/// the port. For an intracommunicator, the two groups are the same group, with base 0.
public abstract class CommPort {
    private final int rank;
    private final int size;
    private volatile String name;
    private int localBase;
    private int localSize;
    private int peerBase;
    private int peerSize;

    private volatile boolean idle;
    private volatile boolean outlivesRanks;
    private volatile boolean failsTogether;
    private long id;
    private long calls;

    protected CommPort(int rank, int size, String name) {
        this.rank = rank;
        this.size = size;
        this.name = name;
        localSize = size;
        peerSize = size;
    }

    /// Turns this into the port of an intercommunicator: the first `first` ranks are one group, the remaining
    /// ranks are the other. Must be called before the port is used.
    public final void twoGroups(int first) {
        boolean inFirst = rank < first;
        localBase = inFirst ? 0 : first;
        localSize = inFirst ? first : size - first;
        peerBase = inFirst ? first : 0;
        peerSize = inFirst ? size - first : first;
    }

    /// Returns the caller's rank in this port.
    public final int rank() {
        return rank;
    }

    /// Returns the number of ranks in this port.
    public final int size() {
        return size;
    }

    public final boolean isInter() {
        return peerBase != localBase;
    }

    /// Returns the rank, in this port, of the first member of the caller's group.
    public final int localBase() {
        return localBase;
    }

    /// Returns the number of ranks in the caller's group.
    public final int localSize() {
        return localSize;
    }

    /// Returns the caller's rank in the local group, which is the rank in the API.
    public final int localRank() {
        return rank - localBase;
    }

    /// Returns the rank, in this port, of the first member of the group with which this rank exchanges
    /// messages.
    public final int peerBase() {
        return peerBase;
    }

    /// Returns the number of ranks in the group with which this rank exchanges messages.
    public final int peerSize() {
        return peerSize;
    }

    /// Returns the communicator's identity, equal on all ranks, for reports; 0 before [#identify].
    public final long id() {
        return id;
    }

    public final void identify(long newId) {
        id = newId;
    }

    /// Returns the number of collective calls on this communicator that this rank has started. All ranks start
    /// the same calls in the same order (MPI 4.1, section 6.14), so a call has the same number on all ranks.
    public final long calls() {
        return calls;
    }

    /// Called by the engine when a collective call begins. Returns the call's number; the first number is 1.
    public final long countCall() {
        return ++calls;
    }

    /// Resets the count, so that calls before the program's first call are not counted.
    public final void restartCalls() {
        calls = 0;
    }

    /// Returns whether a wait for a message on this communicator does not count as a stall, because the ranks
    /// wait for work.
    public final boolean isIdle() {
        return idle;
    }

    public final void idle(boolean newIdle) {
        idle = newIdle;
    }

    /// Returns whether the job survives the death of a rank, and only the requests with that rank fail.
    public final boolean outlivesRanks() {
        return outlivesRanks;
    }

    public final void outlivesRanks(boolean newOutlives) {
        outlivesRanks = newOutlives;
    }

    /// Returns whether the death of a rank also fails all waits for messages on this communicator, because the
    /// remaining ranks wait for each other and must not continue without the dead rank.
    public final boolean failsTogether() {
        return failsTogether;
    }

    public final void failsTogether(boolean newTogether) {
        failsTogether = newTogether;
    }

    /// Converts a rank of the port to a rank in this process's world. Returns -1 for a process of a different
    /// world, for example of a world that this world has spawned.
    public abstract int worldRank(int rank);

    /// Returns the number that identifies the process of a rank in all worlds.
    public int process(int rank) {
        return worldRank(rank);
    }

    /// Returns whether some ranks are in a different world. The calls of these ranks cannot be observed from
    /// this world.
    public boolean isOfSeveralWorlds() {
        return false;
    }

    /// Returns the name that is used in errors: `WORLD`, `SELF`, or the name that the program has set.
    public final String name() {
        return name;
    }

    public final void name(String newName) {
        name = newName;
    }

    /// Describes a rank of the port, for example as `rank 3`; for an intercommunicator, as `rank 1 of the
    /// remote group`.
    public final String describeRank(int portRank) {
        if (!isInter()) return "rank " + portRank;
        boolean local = portRank >= localBase && portRank < localBase + localSize;
        return "rank " + (portRank - (local ? localBase : peerBase)) + " of the " + (local ? "local" : "remote")
                + " group";
    }

    /// Returns the end of every error message, for example `rank 1 of 4, WORLD`; for an intercommunicator,
    /// `rank 1 of 2 and 3 remote, …`.
    @Override
    public final String toString() {
        if (localSize == 0) return "no ranks, " + name;
        return "rank " + localRank() + " of " + localSize + (isInter() ? " and " + peerSize + " remote" : "") + ", "
                + name;
    }
}
