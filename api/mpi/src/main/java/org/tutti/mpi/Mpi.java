package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.tutti.mpi.pool.WorkerJob;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.CreationKey;
import org.tutti.spi.Spawning;

/// This rank's part of a job.
///
///     try (Mpi mpi = Mpi.init()) {
///         Comm world = mpi.world();
///         …
///     }
///
/// [#init] joins the job that the launcher started, or creates a job with a single rank if there was no
/// launcher. A process can join only once. [Tutti#local] runs ranks as threads instead. MPI 4.1, chapters 9 and
/// 11.
public final class Mpi implements AutoCloseable {
    private static boolean initialised;

    static {
        DropInBridge.install(new DropInAccess());
        CollectiveRoute.open(OneGroupCollectives::route);
        WorkerJob.install(HostedJob::create);
    }

    private final Membership membership;
    private final EngineCalls engine;
    private final WindowCalls windows;
    private final @Nullable RankProcess process;
    private final Kind kind;

    /// The source line at which the program has opened the session, as the end of a sentence.
    final String openedAt;

    /// The realm, which distinguishes the process numbers of different jobs; see [Group].
    final int realm;

    private final Scratch.OfThreads scratch;
    private final Request.Pending pending = new Request.Pending();
    private final BufferedSends buffered;
    private final SendBuffers sendBuffers;
    private final List<AttachedBuffer> attached = new CopyOnWriteArrayList<>();
    private final ProgressThread progress;

    /// The handles that the program has created with this object and has not closed yet.
    final OpenHandles open = new OpenHandles();

    /// The connections with groups of other jobs.
    private final Connections connections = new Connections(this);

    private final Comm world;
    private final Comm self;
    private final @Nullable Intercomm parent;

    /// The source line that has closed this object, as the end of a sentence; null while it is open.
    private volatile @Nullable String closedAt;

    /// Whether a close has started. Deleters of attributes run before [#closedAt] is set, and may call close
    /// again.
    private final AtomicBoolean closing = new AtomicBoolean();

    /// The kind of the owner. Only an `Mpi` of a program has a parent. In a session, and in a connection of a
    /// [Port], the program cannot access the world, which is used in error messages.
    enum Kind {
        PROGRAM,
        SESSION,
        /// Communicators with a remote group in a different job; see [Connections] and [HostedJob].
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

    /// Joins the job, and returns this rank's part. Collective over the job's ranks if the engine needs
    /// communication, blocking. A process can join only once. `MPI_Init_thread` with `MPI_THREAD_MULTIPLE`, MPI
    /// 4.1, section 11.2.1.
    ///
    /// @throws MpiException `ERR_OTHER` if this process has already called this method, if the calling thread
    ///     is a rank of [Tutti#local], if no engine has the requested name, or if the launcher's information
    ///     contradicts the engine's information; `ERR_NO_MEM` if shared memory for the job is unavailable
    public static Mpi init() {
        Membership.refuseRankOfThreads();
        synchronized (Mpi.class) {
            if (initialised) {
                throw MpiException.argument(
                        ErrorClass.ERR_OTHER,
                        "init",
                        "this process has already called Mpi.init; call it once per process",
                        null);
            }
            initialised = true;
        }
        return Membership.ofProcess().begin(Kind.PROGRAM);
    }

    /// Registers a callback that runs on SIGTERM, SIGINT (Ctrl-C) or SIGUSR1. The program continues, so the
    /// callback usually sets a flag; a second SIGTERM or SIGINT ends the process. `tutti run` kills ranks that
    /// have not ended after the time of `--grace`. After a different rank has failed, SIGTERM and SIGINT end
    /// the process without running a callback. Local, for the whole process; may be called before [#init].
    ///
    /// @throws MpiException `ERR_ARG` if `callback` is null
    public static void onTermination(Runnable callback) {
        if (callback == null)
            throw MpiException.argument(ErrorClass.ERR_ARG, "onTermination", "callback is null", null);
        Termination.ofThisProcess().add(callback);
    }

    /// Returns the communicator of all ranks of the job. Local. `MPI_COMM_WORLD`, MPI 4.1, section 7.2.4.
    public Comm world() {
        return world;
    }

    /// Returns the communicator of this rank only. Local. `MPI_COMM_SELF`, MPI 4.1, section 7.2.4.
    public Comm self() {
        return self;
    }

    /// Returns the intercommunicator of this world, which is the local group, and the ranks that have started
    /// this world by [Comm#spawn]. Returns null in a world that was not spawned, and after this communicator
    /// has been closed. Local. `MPI_Comm_get_parent`, MPI 4.1, section 11.8.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public @Nullable Intercomm parent() {
        engine("parent");
        return parent == null || parent.isClosed() ? null : parent;
    }

    /// Returns the index, counted from 0, of this process's program in the start command; empty if the launcher
    /// does not report the index. Local. `MPI_APPNUM`, MPI 4.1, section 11.10.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public OptionalInt appNumber() {
        engine("appNumber");
        return RankEnvironment.program();
    }

    /// Returns the number of cores of this machine, or, if larger, the size of the world. The number of cores
    /// is the number of processes, including those of the world, that can run without sharing cores; more
    /// processes can be spawned. Empty over a library. Local. `MPI_UNIVERSE_SIZE`, MPI 4.1, section 11.10.1.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public OptionalInt universeSize() {
        engine("universeSize");
        if (engine.power(Spawning.class) == null) return OptionalInt.empty();
        return OptionalInt.of(Math.max(world.size(), Host.cores()));
    }

    /// Creates a communicator of the ranks of `group`, in the group's order, without a parent. `tag` is a name
    /// that the caller chooses: all members must pass the same name, and concurrent calls, by several threads
    /// or for groups with a common rank, must pass different names. The name is also the communicator's name in
    /// errors. Collective over the *group*, blocking. `MPI_Comm_create_from_group`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` if the caller is not in the group
    public OwnedComm createFromGroup(Group group, String tag) {
        Arguments.given("createFromGroup", "tag", tag);
        EngineCalls e = engine("createFromGroup");
        checkMember("createFromGroup", group);
        return world.owned(e.createOfProcesses("createFromGroup", group.processes(), CreationKey.of(tag)), tag);
    }

    /// Creates an intercommunicator of two groups, without a parent. All ranks of the two groups pass their
    /// local group, their remote group, and the same `tag`; see [#createFromGroup]. No leaders are needed,
    /// because every rank passes the two groups. Collective over the two groups, blocking.
    /// `MPI_Intercomm_create_from_groups`, MPI 4.1, section 7.6.2.
    ///
    /// @throws MpiException `ERR_GROUP` if the caller is not in the local group, or the groups overlap, or the
    ///     remote group is empty
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
        Arguments.given(operation, "group", group);
        if (group.rank() != Comm.UNDEFINED && group.isOf(realm)) return;
        throw MpiException.argument(
                ErrorClass.ERR_GROUP,
                operation,
                "this rank, world rank " + where().rank() + ", is not in " + group + "; only members may call "
                        + operation,
                where());
    }

    /// Returns the name of the machine, as a text for users. Local. `MPI_Get_processor_name`, MPI 4.1, section
    /// 9.1.2.
    public String processorName() {
        return engine.info().processorName();
    }

    /// Returns the name of the engine, `shm` or `libmpi`. Local.
    public String engineName() {
        return engine.info().name();
    }

    /// Returns a description of the engine with version and transport, as a text for users. Local.
    /// `MPI_Get_library_version`, MPI 4.1, section 9.1.1.
    public String engineDescription() {
        return engine.info().description();
    }

    /// Returns the time in seconds since a moment in the past. This moment does not change while the process
    /// runs. Local. `MPI_Wtime`, MPI 4.1, section 9.6.
    public static double wtime() {
        return System.nanoTime() * 1e-9;
    }

    /// Returns the resolution of [#wtime] in seconds. The unit is a nanosecond, but the machine's clock may
    /// advance in longer steps. Local. `MPI_Wtick`, MPI 4.1, section 9.6.
    public static double wtick() {
        return 1e-9;
    }

    /// Returns, for each kind of hardware, whether this process is restricted to a single object of that kind.
    /// The kinds have the names of the library hwloc: `hwloc://Machine`, `hwloc://Package`, `hwloc://NUMANode`,
    /// `hwloc://Core`, `hwloc://PU`. For a rank that was started with `--bind-to core`, `hwloc://Core` is true.
    /// The map is empty on systems other than Linux. Local. `MPI_Get_hw_resource_info`, MPI 4.1, section 9.1.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Map<String, Boolean> hardware() {
        engine("hardware");
        return Collections.unmodifiableMap(Hardware.ofThisProcess());
    }

    /// Returns the known information about the start of this process: `command` and `argv`, which are the
    /// program and the arguments; `maxprocs`, the number of the world's ranks; `wdir`, `host`, `arch`; and
    /// `thread_level`, which is always `MPI_THREAD_MULTIPLE`. A rank that is a thread returns the information
    /// of the process. Local. `MPI_Info_create_env`, MPI 4.1, chapter 10; the keys of `MPI_INFO_ENV` are
    /// defined in section 11.2.1.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Map<String, String> startInfo() {
        engine("startInfo");
        ProcessHandle.Info process = ProcessHandle.current().info();
        Map<String, String> info = new TreeMap<>();
        process.command().ifPresent(command -> info.put("command", command));
        process.arguments().ifPresent(arguments -> info.put("argv", String.join(" ", arguments)));
        info.put("maxprocs", Integer.toString(world.size()));
        info.put("wdir", System.getProperty("user.dir"));
        info.put("host", processorName());
        info.put("arch", System.getProperty("os.arch"));
        info.put("thread_level", "MPI_THREAD_MULTIPLE");
        return Collections.unmodifiableMap(info);
    }

    /// Allocates off-heap memory that the engine transfers without a copy. The memory is 64-byte aligned and
    /// zeroed, and remains valid until [#free] or until the rank ends. Local. `MPI_Alloc_mem`, MPI 4.1, section
    /// 9.2.
    ///
    /// @throws MpiException `ERR_NO_MEM` if memory is insufficient; the job continues then; `ERR_ARG` if
    ///     `bytes` is negative
    public MemorySegment alloc(long bytes) {
        if (bytes < 0) {
            throw MpiException.argument(ErrorClass.ERR_ARG, "alloc", "bytes=" + bytes + " is negative", where());
        }
        return engine("alloc").allocate(bytes);
    }

    /// Returns a new arena for memory that the engine transfers without a copy. If all ranks of the job are on
    /// one machine, they can all access this memory. Segments are zeroed and at least 64-byte aligned. When the
    /// arena is closed, the segments are freed. Any thread may use and close the arena, as with
    /// [Arena#ofShared]. Segments refuse accesses after the arena has been closed (on `shm` only if the process
    /// has native access). Close the arena before the `Mpi`. Local. `MPI_Alloc_mem` and `MPI_Free_mem`, MPI
    /// 4.1, section 9.2.
    ///
    ///     try (Arena arena = mpi.arena()) {
    ///         MemorySegment z = arena.allocate(ValueLayout.JAVA_DOUBLE, 1000);
    ///         world.allreduce(buf(z, Datatype.DOUBLE), Op.SUM);
    ///     }
    ///
    /// An allocation throws an [MpiException] `ERR_NO_MEM` if memory is insufficient; the job continues then.
    /// It throws `ERR_OTHER` after [#close], and also the exceptions of [Arena#allocate(long, long)].
    /// [Arena#close] throws `ERR_PENDING` while a request with a buffer in the arena is pending, and `ERR_WIN`
    /// while a window uses memory of the arena; in these cases, the arena stays open.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Arena arena() {
        engine("arena");
        return new JobArena(this);
    }

    /// Frees a segment that [#alloc] has returned. The segment must not be in use by an active operation. The
    /// segment refuses every later access (on `shm` only if the process has native access). Local.
    /// `MPI_Free_mem`, MPI 4.1, section 9.2.
    ///
    /// @throws MpiException `ERR_BASE` if `memory` was not returned by this rank's `alloc`, has already been
    ///     freed, or is in use by a call of a different thread; `ERR_PENDING` while a request with a buffer in
    ///     `memory` is pending; `ERR_WIN` while a window uses `memory`; `ERR_OTHER` after [#close]
    public void free(MemorySegment memory) {
        EngineCalls calls = engine("free");
        if (memory == null) throw MpiException.argument(ErrorClass.ERR_BASE, "free", "memory is null", where());
        checkUnused("free", List.of(memory));
        calls.free(memory);
    }

    /// Checks that no pending request and no open window uses `memory`, which is about to be freed.
    void checkUnused(String operation, List<MemorySegment> memory) {
        // requests of a failed job never complete
        if (memory.isEmpty() || engine.poison() != null) return;
        MemoryUse use = new MemoryUse(memory);
        String requests = pending.describeUsing(use, 4);
        if (!requests.isEmpty()) {
            throw MpiException.argument(
                    ErrorClass.ERR_PENDING, operation, requests + "; await or cancel all of these first", where());
        }
        String windows = open.windowsUsing(use);
        if (windows.isEmpty()) return;
        throw MpiException.argument(
                ErrorClass.ERR_WIN,
                operation,
                windows + " uses this memory; close it or detach the memory first",
                where());
    }

    /// Waits until every message that this rank sent in buffered mode has been removed from the buffer, so that
    /// a following [#close] does not fail because of buffered messages. No other call is required for messages
    /// in buffered mode, not even to attach a buffer; see [Comm#bsend(Buf, int, int)]. Blocking.
    /// `MPI_Buffer_flush`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]; the failure of the job
    public void flushBuffers() {
        engine("flushBuffers");
        buffered.flush();
        for (AttachedBuffer b : attached) b.flush();
    }

    /// Attaches a buffer of `bytes` bytes. Until [#detachBuffer], it is used for messages in buffered mode on
    /// communicators that have no attached buffer. See [Comm#attachBuffer(long)]. Local. `MPI_Buffer_attach`,
    /// MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` if a buffer is already attached; `ERR_ARG` if `bytes` is negative;
    ///     `ERR_NO_MEM` if memory is insufficient
    public void attachBuffer(long bytes) {
        engine("attachBuffer");
        sendBuffers.attach(bytes);
    }

    /// Attaches this memory as [#attachBuffer(long)] does. See [Comm#attachBuffer(MemorySegment)].
    ///
    /// @throws MpiException `ERR_BUFFER` if a buffer is already attached, or if `buffer` is null or read-only
    public void attachBuffer(MemorySegment buffer) {
        engine("attachBuffer");
        sendBuffers.attach(buffer);
    }

    /// Detaches the buffer and returns it. Afterwards, Tutti allocates memory as needed. Blocking: waits until
    /// every message in the buffer has been sent. `MPI_Buffer_detach`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` if no buffer is attached
    public MemorySegment detachBuffer() {
        engine("detachBuffer");
        return sendBuffers.detach();
    }

    /// Returns a request that is complete when every message that is now in the rank's buffer has been sent,
    /// regardless of whether the buffer was attached or allocated by Tutti. Local. `MPI_Buffer_iflush`, MPI
    /// 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_OTHER` after [#close]
    public Request iflushBuffers() {
        return sendBuffers.iflush("iflushBuffers");
    }

    /// Returns a set of these requests, which can be started and awaited together. Further requests can be
    /// added to the set. Local. MPI 4.1, section 3.7.5.
    public Requests requests(Request... members) {
        Arguments.given("requests", "members", members, where());
        Requests set = new Requests(this);
        for (Request r : members) set.add(r);
        return set;
    }

    /// Returns a request for work of the program, which can be awaited together with messages. The request is
    /// complete when `work` is complete, and has the status of `work`. [Request#await] throws the failure of
    /// `work`. This is a generalized request, so the program is responsible for progress. Local.
    /// `MPI_Grequest_start` and `MPI_Grequest_complete`, MPI 4.1, section 13.2.
    ///
    ///     Request answer = mpi.request(CompletableFuture.supplyAsync(() -> {
    ///         ask(server, into);
    ///         return Status.of(into.length, Datatype.BYTE);
    ///     }));
    ///
    /// @throws MpiException `ERR_ARG` if `work` is null; `ERR_OTHER` after [#close]
    public Request request(CompletionStage<Status> work) {
        return request(work, () -> {});
    }

    /// Returns a request as [#request(CompletionStage)] does. If `work` is not complete, [Request#cancel] runs
    /// `onCancel` in the caller's thread, and does not wait. The program must still complete `work`. It can
    /// complete `work` with [Status#ofCancelled], or cancel `work`, which has the same effect. If cancellation
    /// is no longer possible, it completes `work` normally.
    ///
    /// @throws MpiException `ERR_ARG` if `work` or `onCancel` is null; `ERR_OTHER` after [#close]
    public Request request(CompletionStage<Status> work, Runnable onCancel) {
        engine("request");
        if (work == null || onCancel == null) {
            String what = (work == null ? "work" : "onCancel") + " is null";
            throw MpiException.argument(ErrorClass.ERR_ARG, "request", what, where());
        }
        return LocalRequest.of(this, work, onCancel);
    }

    /// Ends the whole job with exit code `code`, without notifying the other ranks first. Local. `MPI_Abort`,
    /// MPI 4.1, section 11.4.2.
    public void abort(int code) {
        abort(code, "abort(" + code + ") was called by rank " + world.port.rank());
    }

    void abort(int code, String why) {
        if (process != null) process.aborts(code, why);
        engine.abort(code, why);
    }

    /// Leaves the job. Local: does not wait for other ranks, because it is also called after a failure. Every
    /// later call is an error, except a second call of `close`, which has no effect. Before the rank leaves,
    /// the attributes of [#self] are passed to the deleters of the keys, unless the job has failed.
    ///
    /// The standard's requirements at the end of a program (`MPI_Finalize`, MPI 4.1, section 11.2.2) are
    /// checked here, as far as the engine can detect violations: no request is pending, no epoch of a window is
    /// open, and every message has been received. If the receiver has left before a message arrives, the sender
    /// reports the message. A rank that has opened a [Session] stays in the job until the process ends, and
    /// reports unreceived messages then. Communicators, windows, files, ports and persistent requests that were
    /// never closed, and requests that were never awaited, are listed on stderr, with the source lines at which
    /// they were created. If the job has failed, nothing is checked.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an epoch is open; `ERR_PENDING` if requests are pending, messages
    ///     were never received, or buffered messages are still in progress; in these cases, the rank has not
    ///     left cleanly
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) return;
        boolean clean = engine.poison() == null;
        if (clean) self.deleteAttributes();
        String at = UserLine.at();
        closeStages(at);
        String unfinished = clean ? pending.describeUnfinished(engine, 4) : "";
        String forgotten = clean ? pending.describeForgotten(engine, 4) : "";
        closedAt = at;
        scratch.close();
        if (clean) {
            if (!forgotten.isEmpty()) report("close: " + forgotten);
            for (String text : open.never(parent)) report("close: " + text);
            open.checkEpochs();
        }
        if (!unfinished.isEmpty()) throw unclean(unfinished + "; await or cancel all of these first");
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

    /// See [DropInBridge#leave]. While a rank waits in the barrier, it polls, and so continues to transfer
    /// messages. After the barrier, no rank starts a receive, so no message with a matching receive is still in
    /// transit.
    void leaveTogether() {
        if (!closing.compareAndSet(false, true)) return;
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

    /// Prints on stderr. In a process of a job, the text is printed when the process ends, and only if the
    /// process does not fail, because this method is also called after an exception.
    void report(String text) {
        if (process != null) process.reportAtEnd(text + " (" + where() + ")");
        else System.err.println("tutti: " + text + " (" + where() + ")");
    }

    /// Returns whether [#close] has been called, regardless of whether it was successful.
    boolean isClosed() {
        return closedAt != null;
    }

    /// Returns whether the two objects use the same engine.
    boolean sharesEngine(Mpi other) {
        return engine == other.engine;
    }

    /// Returns the engine, even after [#close].
    EngineCalls engineNow() {
        return engine;
    }

    Connections connections() {
        return connections;
    }

    /// Called after a handle of a connection has been closed. When the last handle is closed, the process
    /// leaves the connection's memory.
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

    /// Returns the name of this class in the API, `Session` or `Mpi`.
    private String word() {
        return kind == Kind.SESSION ? "Session" : "Mpi";
    }

    /// Called by a thread of the launcher when ranks that this rank has spawned have been terminated. If a
    /// communicator still connects this rank with the spawned ranks, this rank fails, too.
    ///
    /// @param children the intercommunicator with the spawned ranks; null if the creation failed
    /// @param code the exit code for this process
    /// @return whether this rank continues
    boolean spawnedHaveFailed(@Nullable Intercomm children, String why, int code) {
        if (process == null) return false;
        if (children != null && !open.connectWith(children)) {
            process.print("ranks spawned by this rank, and disconnected from it, failed: " + why);
            return true;
        }
        String text = "ranks spawned by this rank"
                + (children == null ? "" : children.createdAt().at()) + " failed: " + why;
        if (process.jobStatus() == null) process.print(text); // no launcher prints it
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

    /// Returns the progress thread, for an operation that begins now.
    ProgressThread progress(String operation) {
        engine(operation);
        return progress;
    }

    SendBuffers sendBuffers() {
        return sendBuffers;
    }

    /// Returns the buffers attached to this `Mpi` or to a communicator.
    List<AttachedBuffer> attached() {
        return attached;
    }

    BufferedSends buffered() {
        return buffered;
    }

    int tagUpperBound() {
        return engine.info().tagUpperBound();
    }

    /// Returns the scratch objects of this thread.
    Scratch scratch() {
        return scratch.mine();
    }

    /// Returns the engine for an operation that begins or continues now.
    EngineCalls engine(String operation) {
        String at = closedAt;
        if (at != null) {
            throw MpiException.argument(
                    kind == Kind.SESSION ? ErrorClass.ERR_SESSION : ErrorClass.ERR_OTHER,
                    operation,
                    "called after " + word() + ".close" + at + "; move the call into the try block of the " + word(),
                    where());
        }
        return engine;
    }
}
