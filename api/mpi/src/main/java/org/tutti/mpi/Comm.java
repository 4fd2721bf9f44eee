package org.tutti.mpi;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.NullComm;
import org.tutti.spi.CommPort;

/// A communicator: a group of ranks and a context. Messages of different communicators never match. MPI 4.1,
/// chapters 3, 6, 7 and 8.
///
/// `world` and `self` exist from the beginning. The communicators that [#split], [#splitType], [#dup],
/// [#create] and [#createGroup] create, and the communicators with a [Topology], are [OwnedComm]s, which the
/// program must close. Use [Communicator] in code that also accepts an [Intercomm]. [Communicator] documents
/// ranks, tags, objects and errors.
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

    static final String NO_PART = "this rank passed UNDEFINED to split and is not in any part";
    static final String NO_RESOURCE = "this rank is not in any part of splitType";
    static final String NOT_IN_GROUP = "this rank is not in the group that it passed to create";

    Comm(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Returns a predefined communicator.
    static Comm of(Mpi mpi, CommPort port) {
        return new Comm(mpi, port);
    }

    // ---- new communicators

    /// Like [#split(int, int)], with ranks in the order of this communicator.
    ///
    /// @throws MpiException as [#split(int, int)]
    public OwnedComm split(int color) {
        return split(color, 0);
    }

    /// Creates a communicator for each `color`, with ranks ordered by `key` and then by rank in this
    /// communicator. A rank that passes [#UNDEFINED] participates and gets a communicator without ranks:
    /// `size()` is 0, `rank()` is [#UNDEFINED], and operations on it throw an exception. Collective, blocking.
    /// `MPI_Comm_split`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_ARG` if the color is negative and not `UNDEFINED`
    public OwnedComm split(int color, int key) {
        EngineCalls engine = begin("split");
        checkColor(color);
        String name = childName("split");
        return owned(engine.split(port, color == UNDEFINED ? -1 : color, key), name, NO_PART);
    }

    /// Like [#splitType(SplitType, int)], with ranks in the order of this communicator.
    ///
    /// @throws MpiException as [#splitType(SplitType, int)]
    public final OwnedComm splitType(SplitType type) {
        return splitType(type, 0);
    }

    /// Like [#splitType(SplitType, int, Map)], without hints.
    ///
    /// @throws MpiException as [#splitType(SplitType, int, Map)]
    public final OwnedComm splitType(SplitType type, int key) {
        return splitType(type, key, Map.of());
    }

    /// Creates one communicator for each part of the hardware that `type` and `info` select. Each communicator
    /// contains the ranks in one part, ordered by `key` and then by rank in this communicator. All ranks must
    /// pass the same `type` and `info`, except ranks that pass [SplitType#UNDEFINED]. A rank outside of all
    /// parts gets a communicator without ranks, as from [#split]. Collective, blocking. `MPI_Comm_split_type`,
    /// MPI 4.1, section 7.4.2.
    ///
    /// @param info `mpi_hw_resource_type`, for [SplitType#HW_GUIDED]
    /// @throws MpiException `ERR_ARG` when `type` or `info` is null
    public final OwnedComm splitType(SplitType type, int key, Map<String, String> info) {
        EngineCalls engine = begin("splitType");
        Arguments.given("splitType", "type", type, port);
        Arguments.checkHints("splitType", "info", info, port);
        String name = childName("splitType");
        boolean takesPart = type.isByMachine(info);
        CommPort part = engine.splitShared(port, takesPart ? 0 : -1, key);
        OwnedComm made = owned(part, name, NO_RESOURCE);
        // The machine is the finest supported level. With HW_UNGUIDED, MPI requires a part to be smaller than
        // this communicator; if all ranks are on one machine, there is therefore no part.
        if (type != SplitType.HW_UNGUIDED || made.size() < size()) return made;
        made.close();
        return owned(null, name, NO_RESOURCE);
    }

    /// Creates a communicator of the same ranks in a new context, so that messages of a library never match
    /// messages of the caller. Hints and the topology are copied; attributes are copied by the copiers of the
    /// keys. Collective, blocking. `MPI_Comm_dup`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public OwnedComm dup() {
        return dup(hints());
    }

    /// Like [#dup()], but the copy has `hints` instead of this communicator's hints. `MPI_Comm_dup_with_info`,
    /// MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException as [#dup()]
    public OwnedComm dup(Map<String, String> hints) {
        return dup(hints, this::over);
    }

    /// Starts [#dup()]. Hints and attributes are copied immediately, and the new communicator is available when
    /// the request is complete. Collective; returns immediately. `MPI_Comm_idup`, MPI 4.1, section 7.4.2.
    ///
    ///     CommRequest<? extends OwnedComm> r = world.idup();
    ///     …
    ///     try (OwnedComm copy = r.awaitComm()) { … }
    ///
    /// @throws MpiException as [#dup()]
    public CommRequest<? extends OwnedComm> idup() {
        return idup(hints());
    }

    /// Starts [#dup(Map)]; see [#idup()]. Collective; returns immediately. `MPI_Comm_idup_with_info`, MPI 4.1,
    /// section 7.4.2.
    ///
    /// @throws MpiException as [#dup()]
    public CommRequest<? extends OwnedComm> idup(Map<String, String> hints) {
        return idup(hints, this::over);
    }

    /// Returns a communicator for `part`, a different [CommPort] of the same ranks, with the topology of this
    /// communicator.
    OwnedComm over(CommPort part) {
        return new OwnedComm(mpi, part);
    }

    /// Creates a communicator of the ranks of `group`, in the order of the group. Collective over *this*
    /// communicator, blocking. A rank that passes a group of which it is not a member gets a communicator
    /// without ranks, as from [#split]. Ranks may pass disjoint groups, and each group then gets a separate
    /// communicator; all members of a group must pass the same group. `MPI_Comm_create`, MPI 4.1, section
    /// 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` if the group contains a rank outside of this communicator;
    ///     `ERR_MISMATCH` if a member of the group passed a different group
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
                "this rank passed " + group + ", but only " + members
                        + " passed the same group; pass the same group on all members",
                port);
    }

    /// Like [#createGroup(Group, int)], with tag 0.
    ///
    /// @throws MpiException as [#createGroup(Group, int)]
    public final OwnedComm createGroup(Group group) {
        return createGroup(group, 0);
    }

    /// Creates a communicator of the ranks of `group`, in the order of the group. Collective over the *group*,
    /// blocking: other ranks do not call this method. All members must pass the same group and tag. Threads of
    /// a rank must pass different tags in concurrent calls. These tags are independent of the tags of messages.
    /// `MPI_Comm_create_group`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` if the caller is not in the group, or the group contains a rank outside
    ///     of this communicator; `ERR_TAG` if the tag is negative or too large
    public final OwnedComm createGroup(Group group, int tag) {
        EngineCalls engine = begin("createGroup");
        checkTag("createGroup", tag);
        int[] ranks = ranksOf("createGroup", group);
        if (placeIn(ranks) < 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    "createGroup",
                    "this rank, world rank " + port.worldRank(port.rank()) + ", is not in " + group
                            + "; only members may call createGroup",
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

    /// Connects the ranks of this communicator with the ranks of a second communicator. Each rank passes the
    /// leader of the local group, which is a rank of this communicator. Each leader also passes `peer` and
    /// `remoteLeader`, the rank of the other leader in `peer`; `peer` and `remoteLeader` are ignored on the
    /// other ranks. The leaders' messages do not match messages of the program; threads of a rank must pass
    /// different tags in concurrent calls. Collective over the two groups, blocking. `MPI_Intercomm_create`,
    /// MPI 4.1, section 7.6.2.
    ///
    ///     try (OwnedComm half = world.split(me % 2, me);
    ///             Intercomm both = half.intercomm(0, world, 1 - me % 2, 0)) { … }
    ///
    /// @throws MpiException `ERR_RANK` if a leader is not a rank; `ERR_TAG` if the tag is negative or too
    ///     large; `ERR_COMM` if a leader passes no `peer`, or if only one of this communicator and `peer`
    ///     connects two jobs ([Port]); on all ranks `ERR_GROUP` if the groups overlap
    public final Intercomm intercomm(int localLeader, @Nullable Communicator peer, int remoteLeader, int tag) {
        return Intercomm.create(this, localLeader, peer, remoteLeader, tag);
    }

    // ---- processes

    /// Starts `size` processes on this machine, which run the main method of `program` with these arguments.
    /// Returns the intercommunicator of the ranks of this communicator, which are the local group, and the new
    /// ranks. The new ranks join a separate world by [Mpi#init], and get the intercommunicator from
    /// [Mpi#parent]. Rank 0 starts the processes, and only the arguments of rank 0 are significant. Collective,
    /// blocking: returns when all new ranks have joined. `MPI_Comm_spawn`, MPI 4.1, section 11.8.2.
    ///
    ///     Intercomm workers = mpi.self().spawn(4, Worker.class);
    ///     workers.bcast(buf(n), Comm.ROOT);
    ///     workers.reduce(Buf.NONE, buf(sum), Op.SUM, Comm.ROOT);
    ///     workers.disconnect();
    ///
    /// Each process is a JVM like the root's, as described at [Tutti#spawn(int, Class, String...)]. Complete
    /// lines of output are printed on `System.out` and `System.err` of the root. Connected ranks fail together,
    /// whether they are connected by this communicator or by a communicator created from it. After
    /// [OwnedComm#disconnect], they fail separately. The root's process exits only after all new processes have
    /// exited. If the root's process is killed, the new processes are killed, too, even if they are
    /// disconnected. Over a library, the library's launcher starts the processes, if it can, and prints the
    /// output; Open MPI's launcher ends all worlds when a world fails.
    ///
    /// @throws MpiException `ERR_SPAWN`, on all ranks, if processes cannot be started, a class is missing, a
    ///     process ends before joining (the message contains the exception or the exit code), the ranks are
    ///     threads, or the library cannot start processes; `ERR_ARG`, on all ranks, for an invalid size;
    ///     `ERR_COMM` if this communicator connects two jobs ([Port])
    public final Intercomm spawn(int size, Class<?> program, String... arguments) {
        return spawnMultiple(0, Launch.of(size, program, arguments));
    }

    /// Starts processes as [#spawn(int, Class, String...)] does, with a static method instead of the main
    /// method, for example `comm.spawn(4, Worker::train, "--epochs", "3")`.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ARG` also for an instance method and for a
    ///     lambda that captures values
    public final Intercomm spawn(int size, Tutti.Main program, String... arguments) {
        return spawnMultiple(0, Launch.of(size, program, arguments));
    }

    /// Starts several programs as [#spawn(int, Class, String...)] does, in one world, whose ranks are in the
    /// order of the programs. [Mpi#appNumber] returns the index of a rank's program. Only the programs that
    /// `root` passes are significant. `MPI_Comm_spawn_multiple`, MPI 4.1, section 11.8.3.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ROOT` if the root is not a rank
    public final Intercomm spawnMultiple(int root, Launch... programs) {
        return Spawn.children(this, root, programs);
    }

    /// Waits until other ranks [#connect] to the port. Returns the intercommunicator of the ranks of this
    /// communicator and the connecting ranks. Only the port that `root` passes is significant, and `root` must
    /// have opened this port; other ranks may pass null. Each call accepts one call of `connect`. Collective,
    /// blocking. `MPI_Comm_accept`, MPI 4.1, section 11.9.2.
    ///
    /// @throws MpiException on all ranks `ERR_PORT` if the port is closed, was opened by a rank other than
    ///     `root`, or connects ranks of several machines; `ERR_GROUP` if the two groups overlap; `ERR_ROOT` for
    ///     an invalid root
    public final Intercomm accept(@Nullable Port port, int root) {
        return Port.accept(this, port, root);
    }

    /// Waits until other ranks [#accept] on the port of this name. Returns the intercommunicator of the ranks
    /// of this communicator and the accepting ranks. Only the name that `root` passes is significant; other
    /// ranks may pass null. Collective, blocking. `MPI_Comm_connect`, MPI 4.1, section 11.9.3.
    ///
    /// @throws MpiException on all ranks `ERR_PORT` if no rank has the port open, or the port is closed during
    ///     the call; otherwise as [#accept]
    public final Intercomm connect(@Nullable String port, int root) {
        return Port.connect(this, port, root);
    }

    // ---- how data is moved

    /// Describes in a sentence how the data of a call is transferred, for example
    /// `allreduce of 1000 FLOAT on cuda:0: NCCL 2.27.3, …`. This is useful for data on a device, which can be
    /// transferred in several ways. The description of a message does not depend on the other rank. Local.
    ///
    /// @param operation the method's name, for example `send`, `iallreduce` or `bcastInit`
    /// @param buf the buffer to send, or to receive into; for a call with a block for each rank, all blocks
    /// @throws MpiException `ERR_ARG` for an unknown name; `ERR_COMM` if the communicator is closed or has no
    ///     ranks
    public final String explain(String operation, Buf buf) {
        Arguments.given("explain", "operation", operation, port);
        Arguments.given("explain", "buf", buf, port);
        return RouteExplanation.of(route, begin("explain"), port, operation, buf);
    }
}
