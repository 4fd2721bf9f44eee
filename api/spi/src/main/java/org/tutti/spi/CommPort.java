package org.tutti.spi;

/// An engine's side of a communicator. Engines subclass it and keep context ids or native handles there.
///
/// An intercommunicator is a view of the port of all ranks of both its groups, those of one group first:
///
///     rank of the port    0 … first-1 │ first … size-1
///     for its caller      local group │ remote group, or the other way round
///
/// To an engine it is a port like any other; what a user calls rank r of the remote group is rank
/// `peerBase() + r` of it. Of an intracommunicator the two groups are one, and both bases 0.
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

    /// Makes it an intercommunicator's: its first `first` ranks are one group, the others the other one.
    /// Before the port is used.
    public final void twoGroups(int first) {
        boolean inFirst = rank < first;
        localBase = inFirst ? 0 : first;
        localSize = inFirst ? first : size - first;
        peerBase = inFirst ? first : 0;
        peerSize = inFirst ? size - first : first;
    }

    /// The caller's rank in this port.
    public final int rank() {
        return rank;
    }

    /// The ranks of this port.
    public final int size() {
        return size;
    }

    public final boolean isInter() {
        return peerBase != localBase;
    }

    /// Which rank of the port is the caller's group's first.
    public final int localBase() {
        return localBase;
    }

    /// The ranks of the caller's group.
    public final int localSize() {
        return localSize;
    }

    /// The caller's rank in its group, which is what its user calls its rank.
    public final int localRank() {
        return rank - localBase;
    }

    /// Which rank of the port is the first of those that messages go to and come from.
    public final int peerBase() {
        return peerBase;
    }

    /// How many ranks messages go to and come from.
    public final int peerSize() {
        return peerSize;
    }

    /// What identifies it on all its ranks, for reports; 0 until [#identify].
    public final long id() {
        return id;
    }

    public final void identify(long newId) {
        id = newId;
    }

    /// How many collective calls on it this rank has begun. All ranks begin the same ones in the same order
    /// (MPI 4.1, section 6.14), so the number of a call is the same on all of them.
    public final long calls() {
        return calls;
    }

    /// For the engine: a collective call begins. Returns its number; the first one's is 1.
    public final long countCall() {
        return ++calls;
    }

    /// Forgets the calls that were made before the program's first.
    public final void restartCalls() {
        calls = 0;
    }

    /// Whether a wait for a message of it says nothing of how the program gets on: its ranks wait for work.
    public final boolean isIdle() {
        return idle;
    }

    public final void idle(boolean newIdle) {
        idle = newIdle;
    }

    /// Whether the death of one of its ranks costs the requests with that rank alone, in a job that outlives it.
    public final boolean outlivesRanks() {
        return outlivesRanks;
    }

    public final void outlivesRanks(boolean newOutlives) {
        outlivesRanks = newOutlives;
    }

    /// Whether that death costs, beside those, all that waits for a message on it: the ranks that live wait for each
    /// other and are not to go on alone.
    public final boolean failsTogether() {
        return failsTogether;
    }

    public final void failsTogether(boolean newTogether) {
        failsTogether = newTogether;
    }

    /// The rank in this process's world of one of the port's ranks; -1 for a process of another world, which was
    /// spawned, or has spawned this one.
    public abstract int worldRank(int rank);

    /// What tells one of the port's ranks from all other processes, those of other worlds included.
    public int process(int rank) {
        return worldRank(rank);
    }

    /// Whether some of its ranks are of another world. What these do, nobody knows who looks at this world alone.
    public boolean isOfSeveralWorlds() {
        return false;
    }

    /// What errors call it: `WORLD`, `SELF`, or the name its user gave.
    public final String name() {
        return name;
    }

    public final void name(String newName) {
        name = newName;
    }

    /// What errors call a rank of the port: `rank 3`; of an intercommunicator, `rank 1 of the remote group`.
    public final String who(int portRank) {
        if (!isInter()) return "rank " + portRank;
        boolean local = portRank >= localBase && portRank < localBase + localSize;
        return "rank " + (portRank - (local ? localBase : peerBase)) + " of the " + (local ? "local" : "remote")
                + " group";
    }

    /// `rank 1 of 4, WORLD`: the end of every error's text; of an intercommunicator, `rank 1 of 2 and 3
    /// remote, …`.
    @Override
    public final String toString() {
        return "rank " + localRank() + " of " + localSize + (isInter() ? " and " + peerSize + " remote" : "") + ", "
                + name;
    }
}
