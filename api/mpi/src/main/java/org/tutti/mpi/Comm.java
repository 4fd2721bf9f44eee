package org.tutti.mpi;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.NullComm;
import org.tutti.spi.CommPort;

/// A communicator: a group of ranks and a context, so that messages of different communicators never match. MPI
/// 4.1, chapters 3, 6, 7 and 8.
///
/// `world` and `self` exist from the beginning; communicators from [#split], [#splitType], [#dup], [#create],
/// [#createGroup] and communicators with a [Topology] are [OwnedComm]s, which the program closes. A program that
/// also accepts an [Intercomm] uses [Communicator], which documents ranks, tags, objects and errors.
///
/// | chapter | methods | MPI 4.1 |
/// |---|---|---|
/// | the communicator | `rank`, `size`, `group`, `compare`, names, attributes, hints | 7.3, 7.4, 7.7, 7.8 |
/// | blocking messages | `send`, `ssend`, `bsend`, `rsend`, `recv`, `sendrecv`, `probe` | 3.2–3.6, 3.8, 3.10 |
/// | nonblocking messages | `isend`, `irecv`, `isendrecv` and their variants | 3.7, 3.10 |
/// | persistent messages | `sendInit`, `recvInit`, and in partitions `psendInit`, `precvInit` | 3.9, 4 |
/// | objects | `sendObject`, `recvObject`, `bcastObject` and their variants | 3, 6 |
/// | blocking collectives | `barrier`, `bcast`, `gather`, `alltoall`, `allreduce`, `scan`; in place | 6.3–6.11 |
/// | one value | `bcast`, `allgather`, `reduce`, `allreduce`, `scan` | 6.4–6.11 |
/// | nonblocking collectives | `ibarrier`, `ibcast`, `iallreduce` and their variants | 6.12 |
/// | persistent collectives | `barrierInit`, `bcastInit`, `allreduceInit` and their variants | 6.13 |
/// | topologies | `cartesian`, `graph`, `distGraph` | 8.5 |
/// | new communicators | `split`, `dup`, `create`, `intercomm`, `spawn`, `accept`, `connect` | 7, 11 |
public sealed class Comm extends TopologyConstructors permits OwnedComm {

    static final String NO_PART = "this rank passed UNDEFINED to split and is in none of its parts";
    static final String NO_RESOURCE = "this rank is in no part that splitType was to form";
    static final String NOT_IN_GROUP = "this rank is not in the group it passed to create";

    Comm(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// One of those that are simply there.
    static Comm of(Mpi mpi, CommPort port) {
        return new Comm(mpi, port);
    }

    // ---- new communicators

    /// As [#split(int, int)], with the ranks in the order they have here.
    ///
    /// @throws MpiException as [#split(int, int)]
    public OwnedComm split(int color) {
        return split(color, 0);
    }

    /// Makes a communicator for each `color`, its ranks ordered by `key` and then by rank here. A rank that
    /// passes [#UNDEFINED] takes part and gets a communicator without ranks, which answers `size() == 0` and
    /// nothing else. Collective, blocking. `MPI_Comm_split`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_ARG` when the color is negative and not `UNDEFINED`
    public OwnedComm split(int color, int key) {
        EngineCalls engine = begin("split");
        checkColor(color);
        String name = childName("split");
        return owned(engine.split(port, color == UNDEFINED ? -1 : color, key), name, NO_PART);
    }

    /// As [#splitType(SplitType, int)], with the ranks in the order they have here.
    ///
    /// @throws MpiException as [#splitType(SplitType, int)]
    public final OwnedComm splitType(SplitType type) {
        return splitType(type, 0);
    }

    /// As [#splitType(SplitType, int, Map)], without hints.
    ///
    /// @throws MpiException as [#splitType(SplitType, int, Map)]
    public final OwnedComm splitType(SplitType type, int key) {
        return splitType(type, key, Map.of());
    }

    /// Creates a communicator for the ranks of each part of the hardware that `type` and `info` name, ordered
    /// by `key` and then by rank here. All ranks pass the same `type` and `info`, except ranks that pass
    /// [SplitType#UNDEFINED]. The result has no ranks on a rank that is not in a part, as from [#split].
    /// Collective, blocking. `MPI_Comm_split_type`, MPI 4.1, section 7.4.2.
    ///
    /// @param info `mpi_hw_resource_type`, for [SplitType#HW_GUIDED]
    /// @throws MpiException `ERR_ARG` when `type` or `info` is null
    public final OwnedComm splitType(SplitType type, int key, Map<String, String> info) {
        EngineCalls engine = begin("splitType");
        if (type == null || info == null) {
            String what = type == null ? "type" : "info";
            throw MpiException.argument(ErrorClass.ERR_ARG, "splitType", what + " is null", port);
        }
        String name = childName("splitType");
        boolean takesPart = type.isByMachine(info);
        CommPort part = engine.splitShared(port, takesPart ? 0 : -1, key);
        OwnedComm made = owned(part, name, NO_RESOURCE);
        // The machine is the finest level, and MPI requires a strict subset of this communicator.
        if (type != SplitType.HW_UNGUIDED || made.size() < size()) return made;
        made.close();
        return owned(null, name, NO_RESOURCE);
    }

    /// Makes a communicator of the same ranks in a new context: for libraries, whose messages must not meet
    /// their user's. Its info is this one's, its attributes are what their keys copy, its topology is kept.
    /// Collective, blocking. `MPI_Comm_dup`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public OwnedComm dup() {
        return dup(hints());
    }

    /// As [#dup()], with these hints instead of this one's. `MPI_Comm_dup_with_info`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException as [#dup()]
    public OwnedComm dup(Map<String, String> hints) {
        return dup(hints, this::over);
    }

    /// Begins [#dup()]: info and attributes are copied now, the copy is there when the request is complete.
    /// Collective; returns immediately. `MPI_Comm_idup`, MPI 4.1, section 7.4.2.
    ///
    ///     CommRequest<? extends OwnedComm> r = world.idup();
    ///     …
    ///     try (OwnedComm copy = r.awaitComm()) { … }
    ///
    /// @throws MpiException as [#dup()]
    public CommRequest<? extends OwnedComm> idup() {
        return idup(hints());
    }

    /// Begins [#dup(Map)]; see [#idup()]. Collective; returns immediately. `MPI_Comm_idup_with_info`, MPI 4.1,
    /// section 7.4.2.
    ///
    /// @throws MpiException as [#dup()]
    public CommRequest<? extends OwnedComm> idup(Map<String, String> hints) {
        return idup(hints, this::over);
    }

    /// A communicator like this one, with its topology, over another port of the same ranks.
    OwnedComm over(CommPort part) {
        return new OwnedComm(mpi, part);
    }

    /// Makes a communicator of the ranks of `group`, in its order. Collective over *this* communicator,
    /// blocking; those who are not in the group they pass get a communicator without ranks, as from [#split].
    /// Ranks may pass different groups that have no rank in common, and all members of a group pass the same
    /// one; each group gets its own communicator. `MPI_Comm_create`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` when the group has a rank that is not here; `ERR_MISMATCH` when a
    ///     member of the group passed another one
    public OwnedComm create(Group group) {
        EngineCalls engine = begin("create");
        int[] ranks = ranksOf("create", group);
        int place = placeIn(ranks);
        String name = childName("create");
        CommPort part = engine.split(port, place < 0 ? -1 : ranks[0], place);
        OwnedComm made = owned(part, name, NOT_IN_GROUP);
        if (part == null) return made;
        Group members = made.group();
        if (members.equals(group)) return made;
        throw MpiException.job(
                ErrorClass.ERR_MISMATCH,
                "create",
                "this rank passed " + group + ", of which other members passed another one, and is left with " + members
                        + "; all members of a group pass the same",
                port);
    }

    /// As [#createGroup(Group, int)], with tag 0.
    ///
    /// @throws MpiException as [#createGroup(Group, int)]
    public final OwnedComm createGroup(Group group) {
        return createGroup(group, 0);
    }

    /// Makes a communicator of the ranks of `group`, in its order. Collective over the *group*, blocking:
    /// nobody else calls it or notices. All its members pass the same group and tag; threads that call it at
    /// the same time pass different tags. These tags have nothing to do with those of messages.
    /// `MPI_Comm_create_group`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` when the caller is not in the group or the group has a rank that is
    ///     not here; `ERR_TAG` when the tag is negative or too large
    public final OwnedComm createGroup(Group group, int tag) {
        EngineCalls engine = begin("createGroup");
        checkTag("createGroup", tag);
        int[] ranks = ranksOf("createGroup", group);
        if (placeIn(ranks) < 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    "createGroup",
                    "this rank, world rank " + port.worldRank(port.rank()) + ", is not in " + group
                            + "; only its members call createGroup",
                    port);
        }
        return owned(engine.createGroup(port, ranks, tag), name() + ".createGroup" + tag);
    }

    private OwnedComm owned(@Nullable CommPort part, String name, String whyNone) {
        return part == null ? new OwnedComm(mpi, new NullComm(UNDEFINED, whyNone)) : owned(part, name);
    }

    final OwnedComm owned(CommPort part, String name) {
        part.name(name);
        return new OwnedComm(mpi, part);
    }

    // ---- two groups

    /// Connects the ranks of this communicator with those of another one: all ranks of both groups call it,
    /// each with a leader of its own group, a rank here, and each leader says by which rank of `peer` it
    /// reaches the other one. What the others pass as `peer` and `remoteLeader` is not looked at. The
    /// leaders' messages do not meet the user's; threads that make several at the same time pass different
    /// tags. Collective over both groups, blocking. `MPI_Intercomm_create`, MPI 4.1, section 7.6.2.
    ///
    ///     try (OwnedComm half = world.split(me % 2, me);
    ///             Intercomm both = half.intercomm(0, world, 1 - me % 2, 0)) { … }
    ///
    /// @throws MpiException `ERR_RANK` when a leader is no rank; `ERR_TAG`; `ERR_COMM` when this is an
    ///     intercommunicator or a leader passes no `peer`; on all ranks `ERR_GROUP` when the groups have a
    ///     rank in common
    public final Intercomm intercomm(int localLeader, @Nullable Communicator peer, int remoteLeader, int tag) {
        return Intercomm.create(this, localLeader, peer, remoteLeader, tag);
    }

    // ---- processes

    /// Starts `size` processes on this machine, each of which runs the main method of `program` with these
    /// arguments, and returns the intercommunicator of these ranks, the local group, and of theirs. They have
    /// a world of their own, join it by [Mpi#init], and meet these ranks by [Mpi#parent]. Rank 0 starts them,
    /// and what it passes counts. Collective, blocking: returns when all have joined. `MPI_Comm_spawn`, MPI
    /// 4.1, section 11.8.2.
    ///
    ///     Intercomm workers = mpi.self().spawn(4, Worker.class);
    ///     workers.bcast(buf(n), Comm.ROOT);
    ///     workers.reduce(Buf.NONE, buf(sum), Op.SUM, Comm.ROOT);
    ///     workers.disconnect();
    ///
    /// Each is a JVM like the root's, as [Tutti#spawn(int, Class, String...)] says; what they print comes out
    /// of the root's `System.out` and `System.err`, by whole lines. Ranks that are connected, by this
    /// communicator or one that was made of it, fail together; after [OwnedComm#disconnect] alone. A root's
    /// process lives until its children have ended, and when it is killed, so are they, disconnected or not.
    /// Over a library its own launcher starts them, where it can, and prints what they print; Open MPI's ends
    /// all worlds when one fails.
    ///
    /// @throws MpiException `ERR_SPAWN`, on all ranks, when processes cannot be started, a class is missing,
    ///     one ends before it has joined, in words with its exception or exit code, the ranks are threads, or
    ///     the library starts none; `ERR_ARG`, on all ranks, for a size that is none
    public final Intercomm spawn(int size, Class<?> program, String... arguments) {
        return spawnMultiple(0, Launch.of(size, program, arguments));
    }

    /// As [#spawn(int, Class, String...)], with a static method in place of the main method: `comm.spawn(4,
    /// Worker::train, "--epochs", "3")`.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ARG` also for a method that is not
    ///     static and for a lambda that holds values
    public final Intercomm spawn(int size, Tutti.Main program, String... arguments) {
        return spawnMultiple(0, Launch.of(size, program, arguments));
    }

    /// As [#spawn(int, Class, String...)], of several programs in one world, whose ranks are in the order of
    /// the programs: each finds by [Mpi#appNumber] which one it runs. The programs of `root` count.
    /// `MPI_Comm_spawn_multiple`, MPI 4.1, section 11.8.3.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ROOT` when the root is no rank
    public final Intercomm spawnMultiple(int root, Launch... programs) {
        return Spawn.children(this, root, programs);
    }

    /// Waits until other ranks [#connect] to the port, and returns the intercommunicator of these ranks and
    /// those. The port of `root` counts, which has opened it; the others may pass null. One call accepts one
    /// call of `connect`. Collective, blocking. `MPI_Comm_accept`, MPI 4.1, section 11.9.2.
    ///
    /// @throws MpiException on all ranks `ERR_PORT` when the port is closed, or another rank's, or a rank of
    ///     either side is on another machine; `ERR_GROUP` when a rank of the job is on both sides; `ERR_COMM`
    ///     on an [Intercomm]; `ERR_ROOT` for a root that is no rank
    public final Intercomm accept(@Nullable Port port, int root) {
        return Port.accept(this, port, root);
    }

    /// Connects with the ranks that [#accept] on the port of this name, and returns the intercommunicator of
    /// these ranks and those; waits for them. The name of `root` counts; the others may pass null.
    /// Collective, blocking. `MPI_Comm_connect`, MPI 4.1, section 11.9.3.
    ///
    /// @throws MpiException on all ranks `ERR_PORT` when nobody has the port open, also when it is closed
    ///     meanwhile; otherwise as [#accept]
    public final Intercomm connect(@Nullable String port, int root) {
        return Port.connect(this, port, root);
    }

    // ---- how data is moved

    /// Describes how the data of a call is moved, in a sentence for people: `allreduce of 1000 FLOAT on cuda:0:
    /// NCCL 2.27.3, …`. Data on a device can be moved in several ways. The description of a message does not depend
    /// on the other rank. Local.
    ///
    /// @param operation the method's name: `send`, `iallreduce`, `bcastInit`
    /// @param buf what is sent, or received into; of a call with a block for each rank, all of them
    /// @throws MpiException `ERR_ARG` for a name of none; `ERR_COMM` when the communicator is closed or has
    ///     no ranks
    public final String explain(String operation, Buf buf) {
        Arguments.given("explain", "operation", operation, port);
        Arguments.given("explain", "buf", buf, port);
        return RouteExplanation.of(route, begin("explain"), port, operation, buf);
    }
}
