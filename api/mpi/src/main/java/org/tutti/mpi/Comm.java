package org.tutti.mpi;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.NullComm;
import org.tutti.spi.CommPort;

/// A communicator: a group of ranks and a context, so that messages of different communicators never meet.
///
/// Ranks are those of this communicator. A tag is a number from 0 to `tagUpperBound()`; where none is given a
/// send uses 0 and a receive takes any. Typed messages must be received with the type they were sent with.
/// MPI 4.1, chapters 3, 6 and 7.
///
/// `world` and `self` are simply there; communicators from [#split], [#splitType], [#dup], [#create],
/// [#createGroup] and those with a [Topology] are [OwnedComm]s and closed by whoever made them.
///
/// Its operations are in chapters, which are its superclasses; a program calls them all on a `Comm`:
///
/// | chapter | what is there | MPI 4.1 |
/// |---|---|---|
/// | [CommAccessors] | rank, size, name, constants | 7.4.1, 7.8 |
/// | [BlockingPointToPoint] | `send`, `ssend`, `bsend`, `rsend`, `recv`, `sendrecv`, `probe` | 3.2–3.6, 3.8, 3.10 |
/// | [NonblockingPointToPoint] | `isend`, `irecv`, `isendrecv` and the like | 3.7, 3.10 |
/// | [PersistentPointToPoint] | `sendInit`, `recvInit`, and in partitions `psendInit`, `precvInit` | 3.9, 4 |
/// | [ObjectCommunication] | `sendObject`, `recvObject`, `bcastObject` and the like | 3, 6 |
/// | [BlockingCollectives] | `barrier`, `bcast`, `gather`, `alltoall`, `allreduce`, `scan` and the like | 6.3–6.11 |
/// | [ScalarCollectives] | `bcast`, `allgather`, `reduce`, `allreduce`, `scan` of one value | 6.4–6.11 |
/// | [NonblockingCollectives] | `ibarrier`, `ibcast`, `iallreduce` and the like | 6.12 |
/// | [PersistentCollectives] | `barrierInit`, `bcastInit`, `allreduceInit` and the like | 6.13 |
/// | [TopologyConstructors] | `cartesian`, `graph`, `distGraph` | 8.5 |
/// | `Comm` itself | `group`, `compare`, `split`, `dup`, `create`, `intercomm`, attributes, info | 7 |
///
/// ## Errors
///
/// An operation throws an [MpiException]; wrong arguments are found before anything is sent. Beside what a
/// method names, every operation throws `ERR_COMM` when the communicator is closed or has no ranks,
/// `ERR_BUFFER` when memory of a `Buf` may not be touched, because its arena is closed or another thread's,
/// `ERR_OTHER` after [Mpi#close], and, once the job has failed, what ended it: `ERR_PROC_FAILED` when a rank
/// failed or left while it was waited for, `ERR_MISMATCH` when ranks made calls that do not match.
public sealed class Comm extends TopologyConstructors permits OwnedComm {
    private final Attributes attributes = new Attributes(this);
    private final Map<String, String> hints = new HashMap<>();

    static final String NO_PART = "this rank passed UNDEFINED to split and is in none of its parts";
    static final String NO_RESOURCE = "this rank is in no part that splitType was to form";
    static final String NOT_IN_GROUP = "this rank is not in the group it passed to create";

    /// Made when somebody asks.
    private volatile @Nullable Group group;

    /// Communicators that all ranks of this one made from it.
    private int children;

    Comm(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// One of those that are simply there.
    static Comm of(Mpi mpi, CommPort port) {
        return new Comm(mpi, port);
    }

    // ---- who is here

    /// Returns the group of its ranks; of an intercommunicator, the local group. Local. `MPI_Comm_group`, MPI
    /// 4.1, section 7.3.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final Group group() {
        begin("group");
        return members();
    }

    final Group members() {
        Group g = group;
        if (g == null) {
            group = g = groupOf(port.localBase(), port.localSize());
        }
        return g;
    }

    /// Of ranks of the port.
    final Group groupOf(int first, int count) {
        int[] processes =
                IntStream.range(first, first + count).map(port::process).toArray();
        return Group.of(processes, port.process(port.rank()), mpi.realm);
    }

    /// Returns whether it has two groups, and is an [Intercomm]. Local. `MPI_Comm_test_inter`, MPI 4.1,
    /// section 7.6.1.
    public final boolean isInter() {
        return port.isInter();
    }

    /// Returns [Comparison#IDENT] when `other` is this communicator, [Comparison#CONGRUENT] when it has the
    /// same ranks in the same order, [Comparison#SIMILAR] when in another order, else [Comparison#UNEQUAL].
    /// Of two intercommunicators both groups must be the same, or similar; with an intracommunicator one is
    /// `UNEQUAL`. Local. `MPI_Comm_compare`, MPI 4.1, section 7.4.1.
    ///
    /// @throws MpiException `ERR_COMM` when one of both is closed or has no ranks
    public final Comparison compare(Comm other) {
        CommHandle.given("compare", "other", other);
        begin("compare");
        other.begin("compare");
        if (port == other.port) return Comparison.IDENT;
        if (isInter() != other.isInter()) return Comparison.UNEQUAL;
        Comparison local = members().compare(other.members());
        Comparison remote = peers().compare(other.peers());
        if (local == Comparison.UNEQUAL || remote == Comparison.UNEQUAL) return Comparison.UNEQUAL;
        return local == Comparison.IDENT && remote == Comparison.IDENT ? Comparison.CONGRUENT : Comparison.SIMILAR;
    }

    /// Those that messages go to and come from.
    private Group peers() {
        return groupOf(port.peerBase(), port.peerSize());
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

    final void checkColor(int color) {
        if (color >= 0 || color == UNDEFINED) return;
        throw MpiException.argument(
                ErrorClass.ERR_ARG, "split", "color=" + color + " is negative and not UNDEFINED", port);
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
    /// @throws MpiException `ERR_COMM` on an [Intercomm]; `ERR_ARG` when `type` or `info` is null
    public final OwnedComm splitType(SplitType type, int key, Map<String, String> info) {
        EngineCalls engine = begin("splitType");
        checkOneGroup("splitType", port);
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
        EngineCalls engine = begin("dup");
        Map<AttributeKey<?>, Object> copies = attributes.copies();
        return inherit(engine.dup(port), childName("dup"), copies, hints);
    }

    /// Begins [#dup()]: info and attributes are copied now, the copy is there when the request is complete.
    /// Collective; waits for nobody. `MPI_Comm_idup`, MPI 4.1, section 7.4.2.
    ///
    ///     CommRequest<? extends OwnedComm> r = world.idup();
    ///     …
    ///     try (OwnedComm copy = r.awaitComm()) { … }
    ///
    /// @throws MpiException as [#dup()]
    public CommRequest<? extends OwnedComm> idup() {
        return idup(hints());
    }

    /// Begins [#dup(Map)]; see [#idup()]. Collective; waits for nobody. `MPI_Comm_idup_with_info`, MPI 4.1,
    /// section 7.4.2.
    ///
    /// @throws MpiException as [#dup()]
    public CommRequest<? extends OwnedComm> idup(Map<String, String> hints) {
        return idup(hints, OwnedComm.class);
    }

    /// A copy of a communicator of class `C` is one too.
    final <C extends OwnedComm> CommRequest<C> idup(Map<String, String> hints, Class<C> like) {
        EngineCalls engine = begin("idup");
        given("idup", "hints", hints, port);
        Map<AttributeKey<?>, Object> copies = attributes.copies();
        String name = childName("idup");
        Map<String, String> kept = Map.copyOf(hints);
        return new CommRequest<>(mpi, engine.startDup(port), made -> like.cast(inherit(made, name, copies, kept)));
    }

    private OwnedComm inherit(
            CommPort made, String name, Map<AttributeKey<?>, Object> copies, Map<String, String> hints) {
        made.name(name);
        OwnedComm copy = over(made);
        Comm general = copy;
        general.attributes.take(copies);
        copy.info(hints);
        return copy;
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
    ///     not here; `ERR_TAG` when the tag is negative or too large; `ERR_COMM` on an [Intercomm]
    public final OwnedComm createGroup(Group group, int tag) {
        EngineCalls engine = begin("createGroup");
        checkOneGroup("createGroup", port);
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

    /// The ranks here of a group's members.
    final int[] ranksOf(String operation, Group group) {
        given(operation, "group", group, port);
        int[] all = IntStream.range(0, group.size()).toArray();
        int[] ranks = group.translateRanks(all, members());
        for (int rank : ranks) {
            if (rank >= 0) continue;
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    operation,
                    group + " has ranks that are not in " + name() + ": " + group.difference(members()),
                    port);
        }
        return ranks;
    }

    /// The caller's place among them; -1 when it has none.
    final int placeIn(int[] ranks) {
        for (int i = 0; i < ranks.length; i++) if (ranks[i] == port.localRank()) return i;
        return -1;
    }

    /// `WORLD.split1`: the same on every rank, because all make their communicators in the same order.
    @Override
    final synchronized String childName(String operation) {
        return name() + "." + operation + ++children;
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
    public final Intercomm intercomm(int localLeader, @Nullable Comm peer, int remoteLeader, int tag) {
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
    ///     the library starts none; `ERR_ARG`, on all ranks, for a size that is none; `ERR_COMM` on an
    ///     [Intercomm]
    public final Intercomm spawn(int size, Class<?> program, String... arguments) {
        return spawn(0, Launch.of(size, program, arguments));
    }

    /// As [#spawn(int, Class, String...)], with a static method in place of the main method: `comm.spawn(4,
    /// Worker::train, "--epochs", "3")`.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ARG` also for a method that is not
    ///     static and for a lambda that holds values
    public final Intercomm spawn(int size, Tutti.Main program, String... arguments) {
        return spawn(0, Launch.of(size, program, arguments));
    }

    /// As [#spawn(int, Class, String...)], of several programs in one world, whose ranks are in the order of
    /// the programs: each finds by [Mpi#appNumber] which one it runs. The programs of `root` count.
    /// `MPI_Comm_spawn_multiple`, MPI 4.1, section 11.8.3.
    ///
    /// @throws MpiException as [#spawn(int, Class, String...)]; `ERR_ROOT` when the root is no rank
    public final Intercomm spawn(int root, Launch... programs) {
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

    // ---- ways

    /// Says which way the data of a call goes, in a sentence for people: `allreduce of 1000 FLOAT on cuda:0:
    /// NCCL 2.27.3, …`. Of memory of a device, there are several; [DeviceRoute] is about those of collective
    /// calls. What is said of a message to another rank does not depend on that rank. Local.
    ///
    /// @param operation the method's name: `send`, `iallreduce`, `bcastInit`
    /// @param buf what is sent, or received into; of a call with a block for each rank, all of them
    /// @throws MpiException `ERR_ARG` for a name of none; `ERR_COMM` when the communicator is closed or has
    ///     no ranks
    public final String explain(String operation, Buf buf) {
        given("explain", "operation", operation, port);
        given("explain", "buf", buf, port);
        return DeviceRoute.Explanation.of(route(), begin("explain"), port, operation, buf);
    }

    // ---- errors of libraries

    /// Returns an error of a library on top of MPI, in the form of all errors, for it to throw: `solve:
    /// ERR_SOLVER, the iteration diverged: residual=3.0 (rank 1 of 4, WORLD)`. Its scope is `ARGUMENT`,
    /// because MPI goes on. To throw it is `MPI_Comm_call_errhandler`. Local. MPI 4.1, section 9.5.
    ///
    /// @param operation the library's word for what it was doing
    /// @param detail the values, and what to do
    public final MpiException error(String operation, ErrorCode code, String detail) {
        given("error", "operation", operation, port);
        given("error", "code", code, port);
        given("error", "detail", detail, port);
        return MpiException.user(code, operation, detail, port);
    }

    // ---- what is kept at it

    /// Gives it a name: from now on errors call it so. A communicator that has no name of its own is called
    /// by where it comes from: `WORLD.split1`. Local. `MPI_Comm_set_name`, MPI 4.1, section 7.8.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final void name(String newName) {
        begin("name");
        port.name(given("name", "newName", newName, port));
    }

    /// Returns what was kept under `key` at this communicator, on this rank; null when nothing was. Local.
    /// `MPI_Comm_get_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final <T> @Nullable T attribute(AttributeKey<T> key) {
        begin("attribute");
        return attributes.get(key);
    }

    /// Keeps `value` under `key`, in the place of what was there, which the key's deleter gets first. Local.
    /// `MPI_Comm_set_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final <T> void attribute(AttributeKey<T> key, T value) {
        begin("attribute");
        attributes.put(key, value);
    }

    /// Hands what was kept under `key` to the key's deleter, forgets and returns it; null when nothing was.
    /// Local. `MPI_Comm_delete_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final <T> @Nullable T deleteAttribute(AttributeKey<T> key) {
        begin("deleteAttribute");
        return attributes.remove(key);
    }

    /// It is about to be closed.
    final void deleteAttributes() {
        attributes.clear();
    }

    /// Returns the hints that hold for this communicator on this rank; what is returned does not change any
    /// more. Local. `MPI_Comm_get_info`, MPI 4.1, section 7.4.4.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final Map<String, String> info() {
        begin("info");
        return hints();
    }

    final Map<String, String> hints() {
        synchronized (hints) {
            return Collections.unmodifiableMap(new HashMap<>(hints));
        }
    }

    /// Sets these hints; the others stay. Three have an effect: with `tutti_idle` = `true`, ranks that wait
    /// for messages here wait for work: they are never reported as stalled or deadlocked. With
    /// `tutti_outlives` = `true`, in a job that goes on when a rank dies (`tutti run --pool` on shared
    /// memory), its requests with that rank and its collective calls end with `ERR_PROC_FAILED`, a wait for
    /// any rank does so once, and all else goes on; with `tutti_fails_together` = `true`, too, every receive
    /// and probe does so from the moment that this rank knows, of ranks that live as well, and what these
    /// send to it is refused by the same error, if they wait for its receive. All are kept and given back.
    /// Collective; waits for nobody. `MPI_Comm_set_info`, MPI 4.1, section 7.4.4.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final void info(Map<String, String> newHints) {
        begin("info");
        given("info", "newHints", newHints, port);
        synchronized (hints) {
            hints.putAll(newHints);
            if (size() > 0) {
                port.idle("true".equals(hints.get("tutti_idle")));
                port.outlivesRanks("true".equals(hints.get("tutti_outlives")));
                port.failsTogether("true".equals(hints.get("tutti_fails_together")));
            }
        }
    }

    @Override
    public String toString() {
        return "Comm (" + port + ")";
    }
}
