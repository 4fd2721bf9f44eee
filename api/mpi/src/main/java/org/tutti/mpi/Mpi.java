package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.Hardware;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.job.process.UserLine;
import org.tutti.job.signal.Termination;
import org.tutti.mpi.Session.Membership;
import org.tutti.mpi.devices.CollectiveRoute;
import org.tutti.mpi.engine.ProgressThread;
import org.tutti.mpi.internal.DropInBridge;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.CreationKey;
import org.tutti.spi.Spawning;

/// This rank's part in a job.
///
///     try (Mpi mpi = Mpi.init()) {
///         Comm world = mpi.world();
///         …
///     }
///
/// [#init] joins the job that the launcher started, or makes a job of one rank when there was no launcher. A
/// process joins once. [Tutti#local] makes ranks of threads instead. MPI 4.1, chapters 9 and 11.
public final class Mpi implements AutoCloseable {
    private static boolean initialised;

    static {
        DropInBridge.install(new DropInAccess());
        CollectiveRoute.open(OneGroupCollectives::route);
    }

    private final Membership membership;
    private final EngineCalls engine;
    private final WindowCalls windows;
    private final @Nullable RankProcess process;
    private final Kind kind;

    /// The line of the program that has opened the session, as the end of a sentence.
    final String openedAt;

    /// Tells numbers of processes apart, see [Group].
    final int realm;

    private final Scratch.OfThreads scratch;
    private final Request.Pending pending = new Request.Pending();
    private final BufferedSends buffered;
    private final SendBuffers sendBuffers;
    private final List<AttachedBuffer> attached = new CopyOnWriteArrayList<>();
    private final ProgressThread progress;

    /// What the program has made with this.
    final OpenHandles open = new OpenHandles();

    /// With groups of other jobs.
    private final Connections connections = new Connections(this);

    private final Comm world;
    private final Comm self;
    private final @Nullable Intercomm parent;

    /// Where it was closed, as the end of a sentence; null while it is open.
    private volatile @Nullable String closedAt;

    /// Whose it is. Only a program's has a parent; the world of the others only says where they are.
    enum Kind {
        PROGRAM,
        SESSION,
        /// Of communicators with a group of another job, see [Connections].
        CONNECTION
    }

    Mpi(Membership membership, Kind kind) {
        this.membership = membership;
        this.kind = kind;
        openedAt = kind == Kind.SESSION ? UserLine.at() : "";
        realm = kind == Kind.CONNECTION ? Connections.newRealm() : Group.JOB;
        engine = membership.engine;
        windows = new WindowCalls(engine);
        process = membership.process;
        buffered = new BufferedSends(engine);
        sendBuffers = new SendBuffers(this, engine.world(), true);
        progress = new ProgressThread(engine.world().size());
        scratch = new Scratch.OfThreads(engine);
        world = Comm.of(this, engine.world());
        self = Comm.of(this, engine.self());
        parent = kind == Kind.PROGRAM ? Spawn.parent(this, engine) : null;
    }

    /// Joins the job, and returns this rank's part in it. Collective over the job's ranks on an engine that
    /// needs it, blocking. A process joins once. `MPI_Init_thread` with `MPI_THREAD_MULTIPLE`, MPI 4.1,
    /// section 11.2.1.
    ///
    /// @throws MpiException `ERR_OTHER` when it was called before in this process, when no engine of the
    ///     wanted name is there, and when what the launcher said contradicts what the engine found;
    ///     `ERR_NO_MEM` when there is no shared memory for the job
    public static Mpi init() {
        Membership.refuseRankOfThreads();
        synchronized (Mpi.class) {
            if (initialised) {
                throw MpiException.argument(
                        ErrorClass.ERR_OTHER,
                        "init",
                        "this process has called Mpi.init before; a process joins one job, once",
                        null);
            }
            initialised = true;
        }
        return Membership.ofProcess().begin(Kind.PROGRAM);
    }

    /// Runs `callback` when the process is asked to end: by SIGTERM, SIGINT (Ctrl-C) or SIGUSR1. The program
    /// continues, so the callback usually sets a flag; a second SIGTERM or SIGINT ends the process. `tutti
    /// run` kills ranks after the time of `--grace`. No callback runs after another rank's failure. Local,
    /// for the whole process, also before [#init].
    ///
    /// @throws MpiException `ERR_ARG` when `callback` is null
    public static void onTermination(Runnable callback) {
        if (callback == null)
            throw MpiException.argument(ErrorClass.ERR_ARG, "onTermination", "callback is null", null);
        Termination.ofThisProcess().add(callback);
    }

    /// Returns the communicator of all ranks of the job. Local. `MPI_COMM_WORLD`, MPI 4.1, section 7.2.4.
    public Comm world() {
        return world;
    }

    /// Returns the communicator of this rank alone. Local. `MPI_COMM_SELF`, MPI 4.1, section 7.2.4.
    public Comm self() {
        return self;
    }

    /// Returns the intercommunicator of this world, the local group, and of the ranks that have started it by
    /// [Comm#spawn]; null in a world that nobody has spawned, and after the communicator was closed. Local.
    /// `MPI_Comm_get_parent`, MPI 4.1, section 11.8.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public @Nullable Intercomm parent() {
        engine("parent");
        return parent == null || parent.isClosed() ? null : parent;
    }

    /// Returns which of the programs that were started together this process runs: 0 for the first; empty
    /// where the launcher does not say. Local. `MPI_APPNUM`, MPI 4.1, section 11.10.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public OptionalInt appNumber() {
        engine("appNumber");
        return RankEnvironment.program();
    }

    /// Returns how many processes this machine is thought to have room for in all, those of the world
    /// included: its cores. More can be spawned, and take turns. Empty where ranks are on other machines.
    /// Local. `MPI_UNIVERSE_SIZE`, MPI 4.1, section 11.10.1.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public OptionalInt universeSize() {
        engine("universeSize");
        if (engine.power(Spawning.class) == null) return OptionalInt.empty();
        return OptionalInt.of(Math.max(world.size(), Host.cores()));
    }

    /// Makes a communicator of the ranks of `group`, in its order, without a parent. `tag` is a name of the
    /// caller's choice: all members pass the same one, and calls at the same time, by several threads or for
    /// groups with a common rank, pass different ones. It is also what errors call the communicator.
    /// Collective over the *group*, blocking. `MPI_Comm_create_from_group`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` when the caller is not in the group
    public OwnedComm createFromGroup(Group group, String tag) {
        Arguments.given("createFromGroup", "tag", tag);
        EngineCalls e = engine("createFromGroup");
        checkMember("createFromGroup", group);
        return world.owned(e.createOfProcesses("createFromGroup", group.processes(), CreationKey.of(tag)), tag);
    }

    /// Makes an intercommunicator of two groups, without a parent: all ranks of both pass their own group,
    /// the other one and the same `tag`, as to [#createFromGroup]. Who is a leader does not matter, because
    /// every rank knows both groups. Collective over both groups, blocking.
    /// `MPI_Intercomm_create_from_groups`, MPI 4.1, section 7.6.2.
    ///
    /// @throws MpiException `ERR_GROUP` when the caller is not in the local group, or the groups have a rank
    ///     in common, or the remote one is empty
    public Intercomm intercommFromGroups(Group local, Group remote, String tag) {
        Arguments.given("intercommFromGroups", "remote", remote);
        Arguments.given("intercommFromGroups", "tag", tag);
        engine("intercommFromGroups");
        checkMember("intercommFromGroups", local);
        if (remote.size() == 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP, "intercommFromGroups", "the remote group is empty", where());
        }
        return IntercommBuilder.create(this, "intercommFromGroups", local, remote, CreationKey.of(tag), tag);
    }

    private void checkMember(String operation, Group group) {
        Arguments.given("createFromGroup", "group", group);
        if (group.rank() != Comm.UNDEFINED && group.isOf(realm)) return;
        throw MpiException.argument(
                ErrorClass.ERR_GROUP,
                operation,
                "this rank, world rank " + where().rank() + ", is not in " + group + "; only its members call "
                        + operation,
                where());
    }

    /// Returns the name of the machine, for people. Local. `MPI_Get_processor_name`, MPI 4.1, section 9.1.2.
    public String processorName() {
        return engine.info().processorName();
    }

    /// Returns `shm` or `libmpi`. Local.
    public String engineName() {
        return engine.info().name();
    }

    /// Returns the engine with its version and transport, for people. Local. `MPI_Get_library_version`, MPI
    /// 4.1, section 9.1.1.
    public String engineDescription() {
        return engine.info().description();
    }

    /// Returns the seconds since some moment in the past, the same moment for as long as the process runs.
    /// Local. `MPI_Wtime`, MPI 4.1, section 9.6.
    public static double wtime() {
        return System.nanoTime() * 1e-9;
    }

    /// Returns the unit of [#wtime] in seconds, a nanosecond; the machine's clock may advance in longer
    /// steps. Local. `MPI_Wtick`, MPI 4.1, section 9.6.
    public static double wtick() {
        return 1e-9;
    }

    /// Returns for each kind of hardware whether this process may run on a single one of it only, by the name
    /// that the library hwloc gives it: `hwloc://Machine`, `hwloc://Package`, `hwloc://NUMANode`,
    /// `hwloc://Core`, `hwloc://PU`. A rank that was started with `--bind-to core` finds true for
    /// `hwloc://Core`. Empty outside of Linux. Local. `MPI_Get_hw_resource_info`, MPI 4.1, section 9.1.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Map<String, Boolean> hardware() {
        engine("hardware");
        return Collections.unmodifiableMap(Hardware.ofThisProcess());
    }

    /// Returns how this process was started, as far as that is known: `command` and `argv`, what the system
    /// runs and its arguments; `maxprocs`, the number of the world's ranks; `wdir`, `host`, `arch`; and
    /// `thread_level`, which is always `MPI_THREAD_MULTIPLE`. Ranks that are threads say it of the process
    /// that they are in. Local. `MPI_Info_create_env`, MPI 4.1, chapter 10; the keys are those of
    /// `MPI_INFO_ENV`, section 11.2.1.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Map<String, String> startInfo() {
        engine("startInfo");
        return StartInfo.of(this);
    }

    /// Returns off-heap memory that the engine moves without a copy: 64-byte aligned, zeroed, and there until
    /// [#free] or the rank's end. Local. `MPI_Alloc_mem`, MPI 4.1, section 9.2.
    ///
    /// @throws MpiException `ERR_NO_MEM` when there is not enough memory for it: the job goes on; `ERR_ARG`
    ///     when `bytes` is negative
    public MemorySegment alloc(long bytes) {
        if (bytes < 0) {
            throw MpiException.argument(ErrorClass.ERR_ARG, "alloc", "bytes=" + bytes + " is negative", where());
        }
        return engine("alloc").allocate(bytes);
    }

    /// Returns a new arena whose memory the engine moves without a copy: on one machine all ranks of the job
    /// can reach it. Its segments are zeroed and at least 64-byte aligned. Closing it frees them; no pending
    /// operation may use one. Any thread may use and close it, as [Arena#ofShared]. Segments refuse accesses
    /// after the close (on `shm` only where the process has native access). Close it before the `Mpi`. Local.
    /// `MPI_Alloc_mem` and `MPI_Free_mem`, MPI 4.1, section 9.2.
    ///
    ///     try (Arena arena = mpi.arena()) {
    ///         MemorySegment z = arena.allocate(ValueLayout.JAVA_DOUBLE, 1000);
    ///         world.allreduce(buf(z, Datatype.DOUBLE), Op.SUM);
    ///     }
    ///
    /// An allocation throws an [MpiException] `ERR_NO_MEM` when there is not enough memory; the job continues.
    /// It throws `ERR_OTHER` after [#close], and otherwise what [Arena#allocate(long, long)] describes.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Arena arena() {
        engine("arena");
        return new JobArena(this);
    }

    /// Gives back memory of [#alloc], whole: the segment that it returned. No operation that is under way may
    /// use it. The segment refuses every later access (on `shm` only where the process has native access).
    /// Local. `MPI_Free_mem`, MPI 4.1, section 9.2.
    ///
    /// @throws MpiException `ERR_BASE` when this rank's `alloc` has not returned `memory`, when it was given
    ///     back before, or while a call of another thread uses it; `ERR_OTHER` after [#close]
    public void free(MemorySegment memory) {
        EngineCalls calls = engine("free");
        if (memory == null) throw MpiException.argument(ErrorClass.ERR_BASE, "free", "memory is null", where());
        calls.free(memory);
    }

    /// Waits until every message that this rank sent in buffered mode has left its buffer; after it, [#close]
    /// finds none of them on the way. Buffers need no further care: see [Comm#bsend(Buf, int, int)].
    /// Blocking. `MPI_Buffer_flush`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]; what ended the job
    public void flushBuffers() {
        engine("flushBuffers");
        buffered.flush();
        for (AttachedBuffer b : attached) b.flush();
    }

    /// Gives the messages in buffered mode of communicators that have no buffer of their own one of so many
    /// bytes to lie in, until [#detachBuffer]. See [Comm#attachBuffer(long)]. Local. `MPI_Buffer_attach`, MPI
    /// 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached; `ERR_ARG` when `bytes` is negative;
    ///     `ERR_NO_MEM` when there is not enough memory
    public void attachBuffer(long bytes) {
        engine("attachBuffer");
        sendBuffers.attach(bytes);
    }

    /// As [#attachBuffer(long)], in this memory. See [Comm#attachBuffer(MemorySegment)].
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached, or it is null or read-only
    public void attachBuffer(MemorySegment buffer) {
        engine("attachBuffer");
        sendBuffers.attach(buffer);
    }

    /// Takes the buffer away and returns it: from now on Tutti finds memory by itself. Blocking: waits until
    /// every message was sent out of it. `MPI_Buffer_detach`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when none is attached
    public MemorySegment detachBuffer() {
        engine("detachBuffer");
        return sendBuffers.detach();
    }

    /// Returns a request that is complete when every message that lies in the rank's buffer now was sent on:
    /// in the one that was attached, else in Tutti's own. Local. `MPI_Buffer_iflush`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Request iflushBuffers() {
        return sendBuffers.iflush("iflushBuffers");
    }

    /// Returns a set of these requests, to be started and waited for together; more may be added. Local. MPI
    /// 4.1, section 3.7.5.
    public Requests requests(Request... members) {
        Arguments.given("requests", "members", members, where());
        Requests set = new Requests(this);
        for (Request r : members) set.add(r);
        return set;
    }

    /// Returns a request for what the program does by itself: complete when `work` is, with its status, so
    /// that it can be waited for together with messages. What `work` fails with, [Request#await] throws. A
    /// generalized request; progress is the program's part. Local. `MPI_Grequest_start` and
    /// `MPI_Grequest_complete`, MPI 4.1, section 13.2.
    ///
    ///     Request answer = mpi.request(CompletableFuture.supplyAsync(() -> {
    ///         ask(server, into);
    ///         return Status.of(into.length, Datatype.BYTE);
    ///     }));
    ///
    /// @throws MpiException `ERR_ARG` when `work` is null; `ERR_OTHER` after [#close]
    public Request request(CompletionStage<Status> work) {
        return request(work, () -> {});
    }

    /// As [#request(CompletionStage)]. [Request#cancel] runs `onCancel` while `work` is not complete, on the
    /// caller's thread; it waits for nothing. The program completes `work` all the same: with
    /// [Status#ofCancelled], or by cancelling it, which says the same; or normally, when it was too late.
    ///
    /// @throws MpiException `ERR_ARG` when `work` or `onCancel` is null; `ERR_OTHER` after [#close]
    public Request request(CompletionStage<Status> work, Runnable onCancel) {
        engine("request");
        if (work == null || onCancel == null) {
            String what = (work == null ? "work" : "onCancel") + " is null";
            throw MpiException.argument(ErrorClass.ERR_ARG, "request", what, where());
        }
        return LocalRequest.of(this, work, onCancel);
    }

    /// Ends the whole job with `code`, without asking the other ranks. Local. `MPI_Abort`, MPI 4.1, section
    /// 11.4.2.
    public void abort(int code) {
        abort(code, "abort(" + code + ") was called by rank " + world.port.rank());
    }

    void abort(int code, String why) {
        if (process != null) process.aborts(code, why);
        engine.abort(code, why);
    }

    /// Leaves the job. Local: waits for nobody, because it also runs on the way out of a failure. After it
    /// every call is an error. What [#self] keeps goes to its keys' deleters first. A second call does
    /// nothing.
    ///
    /// What MPI asks of a program at its end (`MPI_Finalize`, MPI 4.1, section 11.2.2) is checked here, as
    /// far as the engine can tell: no request is pending, no epoch of a window is open, and every message was
    /// received. If the receiver has left before a message arrives, its sender reports it. A rank that has
    /// opened a [Session] stays in the job until its process ends, and reports such messages then.
    /// Communicators, windows, files and ports that were never closed are listed on stderr, with the lines
    /// that created them. Nothing is checked once the job has failed.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` when an epoch is open; `ERR_PENDING` when requests are pending,
    ///     messages were never received, or buffered ones are still on the way; the rank has then not left
    ///     cleanly
    @Override
    public void close() {
        if (closedAt != null) return;
        boolean clean = engine.poison() == null;
        if (clean) self.deleteAttributes();
        String at = UserLine.at();
        closeStages(at);
        String unfinished = clean ? pending.describeUnfinished(engine, 4) : "";
        String forgotten = clean ? pending.describeForgotten(engine, 4) : "";
        closedAt = at;
        scratch.close();
        if (clean) {
            if (!forgotten.isEmpty()) tell("close: " + forgotten);
            for (String text : open.never(parent)) tell("close: " + text);
            open.checkEpochs();
        }
        if (!unfinished.isEmpty()) throw unclean(unfinished + "; await or cancel them before");
        if (clean) {
            String late = buffered.undeliverable();
            for (AttachedBuffer b : attached) if (late == null) late = b.undeliverable();
            if (late != null) throw unclean(late);
        }
        connections.close();
        if (membership.leavesAt(at)) membership.leave(clean);
        membership.closed(this);
    }

    private void closeStages(String at) {
        progress.close(MpiException.argument(
                ErrorClass.ERR_PENDING,
                "toStage",
                "the " + word() + " was closed" + at + " before this stage was complete",
                where()));
    }

    /// See [DropInBridge#leave]. When all ranks are here, every message that will be received was: nobody
    /// begins to receive any more. Ranks move the others' messages while they wait.
    void leaveTogether() {
        if (closedAt != null) return;
        engine.complete(engine.collective().fill("finalize", where(), Collective.Kind.BARRIER, 0));
        self.deleteAttributes();
        pending.cancel();
        String at = UserLine.at();
        closeStages(at);
        closedAt = at;
        scratch.close();
        connections.close();
        if (process != null) process.audit(() -> null);
        if (membership.leavesAt(at)) membership.leave(false);
        membership.closed(this);
    }

    /// On stderr, unless the process fails: this also runs on the way out of an exception.
    void tell(String text) {
        if (process != null) process.sayAtEnd(text + " (" + where() + ")");
        else System.err.println("tutti: " + text + " (" + where() + ")");
    }

    /// Whether [#close] was called, well or not.
    boolean isClosed() {
        return closedAt != null;
    }

    /// Whether activities of both are the same engine's.
    boolean sharesEngine(Mpi other) {
        return engine == other.engine;
    }

    /// Also after [#close].
    EngineCalls engineNow() {
        return engine;
    }

    Connections connections() {
        return connections;
    }

    /// Something of a connection was closed: after the last one the process leaves the memory in which both
    /// groups meet.
    void released() {
        if (kind != Kind.CONNECTION || closedAt != null || !open.isEmpty()) return;
        boolean failed = engine.poison() != null;
        if (!failed && (!pending.describeUnfinished(engine, 1).isEmpty() || buffered.undeliverable() != null)) return;
        try {
            close();
        } catch (MpiException e) {
            System.err.println("tutti: " + e.getMessage());
        }
    }

    boolean isSession() {
        return kind == Kind.SESSION;
    }

    /// What the program knows it as.
    private String word() {
        return kind == Kind.SESSION ? "Session" : "Mpi";
    }

    /// By a thread of the launcher's: ranks that this one has spawned were ended. As long as a communicator
    /// connects them with this rank, it fails with them.
    ///
    /// @param children with these ranks; null when this rank has failed to make it
    /// @param code what the process is to end with
    /// @return whether this rank goes on
    boolean spawnedHaveFailed(@Nullable Intercomm children, String why, int code) {
        if (process == null) return false;
        if (children != null && !open.connectWith(children)) {
            process.say("ranks that this one had spawned, and was disconnected from, failed: " + why);
            return true;
        }
        String text = "ranks that this one has spawned"
                + (children == null ? "" : children.createdAt().at()) + " failed: " + why;
        if (process.board() == null) process.say(text); // no launcher does
        process.aborts(code, text);
        process.exit(code);
        return false;
    }

    private MpiException unclean(String why) {
        return MpiException.argument(ErrorClass.ERR_PENDING, "close", why, where());
    }

    @Override
    public String toString() {
        return "Mpi (" + where() + ", " + engine.info().description() + ")";
    }

    WindowCalls windows(String operation) {
        engine(operation);
        return windows;
    }

    CommPort where() {
        return world.port;
    }

    Request.Pending pending() {
        return pending;
    }

    /// For an operation that begins now.
    ProgressThread progress(String operation) {
        engine(operation);
        return progress;
    }

    SendBuffers sendBuffers() {
        return sendBuffers;
    }

    /// Those that are attached now, here or to a communicator.
    List<AttachedBuffer> attached() {
        return attached;
    }

    BufferedSends buffered() {
        return buffered;
    }

    int tagUpperBound() {
        return engine.info().tagUpperBound();
    }

    /// This thread's.
    Scratch scratch() {
        return scratch.mine();
    }

    /// The engine for an operation that begins or goes on now.
    EngineCalls engine(String operation) {
        String at = closedAt;
        if (at != null) {
            throw MpiException.argument(
                    kind == Kind.SESSION ? ErrorClass.ERR_SESSION : ErrorClass.ERR_OTHER,
                    operation,
                    "called after " + word() + ".close" + at + "; make it part of the try block that holds the "
                            + word(),
                    where());
        }
        return engine;
    }
}
