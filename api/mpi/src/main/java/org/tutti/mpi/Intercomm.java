package org.tutti.mpi;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.NullComm;
import org.tutti.spi.CommPort;

/// A communicator of two disjoint groups: all data is sent to the remote group. `rank()`, `size()` and
/// `group()` refer to the local group, which contains the caller; a destination, a source and [Status#source]
/// are ranks of the remote group. MPI 4.1, sections 6.2.3 and 7.6.
///
///     try (OwnedComm half = world.split(me % 2, me);
///             Intercomm both = half.intercomm(0, world, 1 - me % 2, 0)) {
///         both.sendrecv(mine, both.rank(), theirs, both.rank());          // with the same rank of the other group
///         both.bcast(buf, me == 0 ? Comm.ROOT : me % 2 == 0 ? Comm.PROC_NULL : 0);
///     }
///
/// Collective operations send data between the groups. Operations with a root send in a single direction: the
/// root passes [#ROOT]; the other ranks of the root's group pass [#PROC_NULL], and all other arguments of these
/// ranks are ignored; the ranks of the remote group pass the root's rank. Operations without a root send data
/// in the two directions: buffers have one block for each rank of the remote group, and a reduction returns the
/// combined data of the remote group; the number of elements must be the same in the two groups. In
/// [#reduceScatter(Buf, Buf, Op)] and [#reduceScatterBlock(Buf, Buf, Op)], however, `send` has one block for
/// each rank of the local group. Types and lengths of an allgather or alltoall can differ between the
/// directions. No operation is in place, and scans are not defined.
public final class Intercomm extends PersistentCollectives implements AutoCloseable {
    private Intercomm(Mpi mpi, CommPort port) {
        super(mpi, port);
        created();
    }

    /// Returns the number of ranks of the remote group. Local. `MPI_Comm_remote_size`, MPI 4.1, section
    /// 7.6.1.
    public int remoteSize() {
        return size() == 0 ? 0 : port.peerSize();
    }

    /// Returns the remote group. Local. `MPI_Comm_remote_group`, MPI 4.1, section 7.6.1.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public Group remoteGroup() {
        begin("remoteGroup");
        return groupOf(port.peerBase(), port.peerSize());
    }

    /// Creates a communicator of the ranks of the two groups. The group that passes false for `high` is first.
    /// All ranks of a group must pass the same value. If the two groups pass the same value, the order of the
    /// groups is arbitrary. Collective over the two groups, blocking. `MPI_Intercomm_merge`, MPI 4.1, section
    /// 7.6.2.
    ///
    /// @throws MpiException `ERR_MISMATCH` if ranks of the same group have passed different values
    public OwnedComm merge(boolean high) {
        EngineCalls engine = begin("merge");
        String name = childName("merge");
        CommPort all = engine.split(port, 0, high ? 1 : 0);
        if (all == null) throw new IllegalStateException("merge of " + port + " has no result");
        int[] merged = IntStream.range(0, all.size()).map(all::process).toArray();
        Group local = members();
        Group remote = remoteGroup();
        if (!Arrays.equals(merged, local.union(remote).processes())
                && !Arrays.equals(merged, remote.union(local).processes())) {
            throw MpiException.job(
                    ErrorClass.ERR_MISMATCH,
                    "merge",
                    "ranks of a group passed different values of high (this rank: " + high
                            + "); pass the same value on all ranks of the group",
                    port);
        }
        all.name(name);
        return new OwnedComm(mpi, all);
    }

    /// Copies this communicator as [Comm#dup()] does: the copy has the same two groups and a new context.
    /// Collective over the two groups.
    ///
    /// @throws MpiException as [Comm#dup()]
    public Intercomm dup() {
        return dup(hints());
    }

    /// Copies this communicator as [Comm#dup(Map)] does: the copy has the same two groups and a new context.
    /// Collective over the two groups.
    ///
    /// @throws MpiException as [Comm#dup()]
    public Intercomm dup(Map<String, String> hints) {
        return dup(hints, this::over);
    }

    /// Starts a copy of this communicator as [Comm#idup()] does: the copy has the same two groups and a new
    /// context. Collective over the two groups.
    ///
    /// @throws MpiException as [Comm#dup()]
    public CommRequest<Intercomm> idup() {
        return idup(hints());
    }

    /// Starts a copy of this communicator as [Comm#idup(Map)] does: the copy has the same two groups and a new
    /// context. Collective over the two groups.
    ///
    /// @throws MpiException as [Comm#dup()]
    public CommRequest<Intercomm> idup(Map<String, String> hints) {
        return idup(hints, this::over);
    }

    private Intercomm over(CommPort made) {
        return inter(made, firstGroup(), made.name());
    }

    /// Like [#split(int, int)], with ranks in the order of this communicator.
    ///
    /// @throws MpiException as [#split(int, int)]
    public Intercomm split(int color) {
        return split(color, 0);
    }

    /// Creates an intercommunicator for each `color` that ranks of both groups pass. In each group, ranks are
    /// ordered by `key` and then by rank in this communicator. A rank gets a communicator without ranks if it
    /// passes [#UNDEFINED], or if no rank of the remote group passes the same color. Collective over the two
    /// groups, blocking. MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_ARG` if the color is negative and not `UNDEFINED`
    public Intercomm split(int color, int key) {
        EngineCalls engine = begin("split");
        checkColor(color);
        String name = childName("split");
        long[] all = everyones(engine, "split", color, key);
        int[] first = part(all, color, 0, firstGroup());
        int[] second = part(all, color, firstGroup(), port.size());
        if (color == UNDEFINED || first.length == 0 || second.length == 0) {
            engine.split(port, -1, 0);
            return nobodys(
                    color == UNDEFINED
                            ? Comm.NO_PART
                            : "this rank passed color=" + color + " to split, but no rank of the remote group did");
        }
        int[] ranks =
                IntStream.concat(Arrays.stream(first), Arrays.stream(second)).toArray();
        return inter(engine.split(port, color, indexOf(port.rank(), ranks)), first.length, name);
    }

    /// Returns the ranks of the [CommPort], from `from` (inclusive) to `to` (exclusive), that have passed
    /// `color`. The result is ordered by key, then by rank.
    private static int[] part(long[] all, int color, int from, int to) {
        List<Integer> ranks = IntStream.range(from, to)
                .filter(r -> all[2 * r] == color)
                .boxed()
                .sorted(Comparator.comparingLong((Integer r) -> all[2 * r + 1]).thenComparing(r -> r))
                .toList();
        return ranks.stream().mapToInt(r -> r).toArray();
    }

    private static int indexOf(int rank, int[] ranks) {
        int i = 0;
        while (ranks[i] != rank) i++;
        return i;
    }

    /// Creates an intercommunicator of subsets of the two groups. All ranks of the local group must pass the
    /// same `group`, which is a subset of the local group in any order. Ranks outside of the subset get a
    /// communicator without ranks. If one of the subsets is empty, all ranks get a communicator without ranks.
    /// Collective over the two groups, blocking. MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` if the group contains a rank outside of the local group; `ERR_MISMATCH`
    ///     if a rank of the local group passed a different group
    public Intercomm create(Group group) {
        EngineCalls engine = begin("create");
        int place = placeIn(ranksOf("create", group));
        String name = childName("create");
        long[] all = everyones(engine, "create", group.hashCode(), place);
        int count = inGroup(all, port.localBase(), port.localSize());
        int remote = inGroup(all, port.peerBase(), port.peerSize());
        boolean ofNullProcess = place < 0 || remote == 0;
        CommPort part = engine.split(port, ofNullProcess ? -1 : 0, port.localBase() + place);
        checkSame(all, group);
        if (part == null) {
            return nobodys(place < 0 ? Comm.NOT_IN_GROUP : "the remote group passed an empty group to create");
        }
        return inter(part, port.localBase() == 0 ? count : remote, name);
    }

    private static int inGroup(long[] all, int from, int count) {
        return (int) IntStream.range(from, from + count)
                .filter(r -> all[2 * r + 1] >= 0)
                .count();
    }

    private void checkSame(long[] all, Group group) {
        for (int r = port.localBase(); r < port.localBase() + port.localSize(); r++) {
            if (all[2 * r] == group.hashCode()) continue;
            throw MpiException.job(
                    ErrorClass.ERR_MISMATCH,
                    "create",
                    "this rank passed " + group + ", but " + port.describeRank(r)
                            + " passed a different group; pass the same group on all ranks",
                    port);
        }
    }

    /// Passes the attributes to the deleters of the keys, and then frees the communicator and the attached
    /// buffer. All messages must have been received. When the `Mpi` is closed, communicators that were never
    /// closed are freed and reported. A second call has no effect. Local. `MPI_Comm_free`, MPI 4.1, section
    /// 7.4.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public void close() {
        closeHandle();
    }

    /// Waits until all ranks of the two groups call this method, and then closes the communicator. Afterwards,
    /// only other communicators, if any exist, connect the groups. Spawned ranks and parents fail together
    /// while they are connected, and separately afterwards. All requests must be complete. Collective over the
    /// two groups, blocking. `MPI_Comm_disconnect`, MPI 4.1, section 11.10.4.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed
    public void disconnect() {
        disconnectHandle();
    }

    // ---- creation

    /// Collects two numbers from every rank of the two groups.
    private long[] everyones(EngineCalls engine, String operation, long one, long other) {
        return IntercommBuilder.allgather(mpi, engine, operation, port, one, other);
    }

    /// Returns the number of ranks in the first group of the [CommPort].
    private int firstGroup() {
        return Math.max(port.localBase(), port.peerBase());
    }

    private Intercomm nobodys(String why) {
        return new Intercomm(mpi, new NullComm(UNDEFINED, why));
    }

    private Intercomm inter(@Nullable CommPort made, int firstGroup, String name) {
        if (made == null) throw new IllegalStateException(name + " has no result on " + port);
        return of(mpi, made, firstGroup, name);
    }

    /// Returns the intercommunicator for `both`, which contains the ranks of the two groups.
    static Intercomm met(Mpi mpi, CommPort both, String name) {
        both.name(name);
        return new Intercomm(mpi, both);
    }

    /// Returns the intercommunicator for `union`, which contains the ranks of the two groups. The first
    /// `firstGroup` ranks are one group.
    static Intercomm of(Mpi mpi, CommPort union, int firstGroup, String name) {
        union.twoGroups(firstGroup);
        return met(mpi, union, name);
    }

    /// See [Comm#intercomm].
    static Intercomm create(Comm local, int localLeader, @Nullable Communicator peer, int remoteLeader, int tag) {
        local.begin("intercomm");
        local.checkTag("intercomm", tag);
        IntercommBuilder.checkLeader(local, "localLeader", localLeader);
        IntercommBuilder.Met met =
                local.rank() == localLeader ? IntercommBuilder.meet(local, peer, remoteLeader, tag) : null;
        IntercommBuilder.Met shared =
                IntercommBuilder.Met.of(local.bcastObject(met == null ? null : met.asObject(), localLeader));
        Group remote = Group.of(shared.ranks(), local.port.process(local.rank()), local.mpi.realm);
        return IntercommBuilder.create(local.mpi, "intercomm", local.group(), remote, shared.key(), shared.name());
    }
}
