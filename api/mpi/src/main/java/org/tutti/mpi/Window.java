package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.Fault;
import org.tutti.spi.SleepStrategy;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows.Placement;

/// A window: memory of each rank of a communicator, to which other ranks put data and from which they get data,
/// without a call by the memory's owner.
///
///     try (Window w = Window.allocate(world, 8 * (n + 1), 8)) {
///         w.fence();
///         w.put(buf(x), right, 0);         // n doubles, starting at displacement 0
///         w.fence();                       // now they are at the target
///         w.lock(0);
///         long ticket = w.at(0, n).fetchAndAdd(1L);
///         w.unlock(0);
///     }
///
/// Accesses are `put`, `get`, `accumulate` and their variants; [WindowTarget] documents the rules and errors of
/// accesses. Accesses require an *epoch* (MPI 4.1, section 12.5):
///
/// | opens | ends | called by |
/// |---|---|---|
/// | [#fence] | [#fence] | all ranks; each may access all |
/// | [#start] | [#complete] | the origin; the targets call [#post] and [#await] |
/// | [#lock] | [#unlock] | the origin only |
/// | [#lockAll] | [#unlockAll] | the origin only; for accesses to all ranks |
///
/// Memory of [#allocate] and [#shared] has the *unified* model (section 12.4): loads and stores of the owner in
/// [#memory()] and accesses of other ranks see each other after synchronization. A rank must lock its own
/// memory for loads and stores while other ranks may access this memory.
///
/// A window over existing memory of the program ([#of]) has the *separate* model: other ranks access a copy of
/// that memory. Only the following calls of this rank update the copy with this rank's stores, and the memory
/// with the accesses of other ranks: [#fence], [#post], [#start], [#complete], [#await], [#test], [#sync],
/// [#lock] and [#unlock] with this rank as the target, [#lockAll] and [#unlockAll].
///
/// A window is created by all ranks and closed by each rank locally; the memory is freed when all ranks have
/// closed the window. In addition to the errors that a method documents, every operation throws `ERR_WIN` if
/// the window is closed, `ERR_OTHER` after [Mpi#close], and, once the job has failed, the job's failure.
public final class Window extends WindowAccesses implements AutoCloseable {
    /// The type of a lock: whether several ranks can hold the lock at the same time.
    public enum LockType {
        /// Several ranks can hold the lock at the same time.
        SHARED,
        /// Only one rank can hold the lock.
        EXCLUSIVE
    }

    /// Assertions of the program that permit optimizations (MPI 4.1, section 12.5.5). Only [#NOPRECEDE] and
    /// [#NOSUCCEED] have an effect.
    public enum Assert {
        /// No check of other ranks is needed. For start: every target has already called post. For post: no
        /// origin has called start yet. For lock: no other rank holds or requests a conflicting lock.
        NOCHECK,
        /// For fence and post: the owner has not stored in the window memory since the last synchronization.
        NOSTORE,
        /// For fence and post: no rank will put to this rank until the next synchronization.
        NOPUT,
        /// For fence: this rank has not accessed the window since the last fence. Either all ranks or no rank
        /// must pass this assertion.
        NOPRECEDE,
        /// For fence: this rank will not access the window until the next fence. Either all ranks or no rank
        /// must pass this assertion.
        NOSUCCEED
    }

    /// The constructor of a window.
    public enum Flavor {
        /// Created by [Window#allocate].
        ALLOCATE,
        /// Created by [Window#shared].
        SHARED,
        /// Created by [Window#of].
        CREATE,
        /// Created by [Window#dynamic].
        DYNAMIC
    }

    /// The time at which loads and stores of the owner and accesses of other ranks become visible to each other
    /// (MPI 4.1, section 12.4).
    public enum Model {
        /// After the synchronization of the accesses.
        UNIFIED,
        /// Only after an additional synchronization by the owner.
        SEPARATE
    }

    private final Flavor flavor;
    private final Map<String, String> hints;
    private final MemorySegment memory;

    /// The source line that created the window, as the end of a sentence.
    final String madeAt = UserLine.at();

    /// The source line that closed the window, as the end of a sentence; null while the window is open.
    private volatile @Nullable String closedAt;

    private Window(Mpi mpi, WindowPort window, Flavor flavor, Map<String, String> hints) {
        super(mpi, window);
        this.flavor = flavor;
        this.hints = hints;
        memory = window.memory(port.rank());
        mpi.open.made(this);
    }

    // ---- creation

    /// Like [#allocate(Comm, long, int, Map)], with displacements in bytes and no hints.
    ///
    /// @throws MpiException as [#allocate(Comm, long, int, Map)]
    public static Window allocate(Comm comm, long bytes) {
        return allocate(comm, bytes, 1);
    }

    /// Like [#allocate(Comm, long, int, Map)], without hints.
    ///
    /// @throws MpiException as [#allocate(Comm, long, int, Map)]
    public static Window allocate(Comm comm, long bytes, int unitBytes) {
        return allocate(comm, bytes, unitBytes, Map.of());
    }

    /// Creates a window with `bytes` bytes of zeros on this rank, and displacements in units of `unitBytes`
    /// bytes. The two values may differ between ranks. `info` contains hints, which are stored but have no
    /// effect. Collective over `comm`, blocking. `MPI_Win_allocate`, MPI 4.1, section 12.2.2.
    ///
    /// @throws MpiException `ERR_ARG` if `bytes` is negative; `ERR_DISP` if `unitBytes` is not positive;
    ///     `ERR_COMM` if `comm` is closed or has no ranks; on all ranks `ERR_NO_MEM` if memory is insufficient
    ///     on any rank; the job continues then
    public static Window allocate(Comm comm, long bytes, int unitBytes, Map<String, String> info) {
        return make(comm, bytes, unitBytes, info, Flavor.ALLOCATE, null);
    }

    /// Like [#shared(Comm, long, int, Map)], with displacements in bytes and no hints.
    ///
    /// @throws MpiException as [#shared(Comm, long, int, Map)]
    public static Window shared(Comm comm, long bytes) {
        return shared(comm, bytes, 1);
    }

    /// Like [#shared(Comm, long, int, Map)], without hints.
    ///
    /// @throws MpiException as [#shared(Comm, long, int, Map)]
    public static Window shared(Comm comm, long bytes, int unitBytes) {
        return shared(comm, bytes, unitBytes, Map.of());
    }

    /// Creates a window as [#allocate(Comm, long, int, Map)] does, for ranks on the same machine
    /// ([Comm#splitType]). These ranks can also load from and store to each other's memory; see [#memory(int)].
    /// The memory of a rank begins where the memory of the previous rank ends, unless the hint
    /// `alloc_shared_noncontig` is `true`; all ranks must pass the same hint. `MPI_Win_allocate_shared`, MPI
    /// 4.1, section 12.2.3.
    ///
    /// @throws MpiException as [#allocate(Comm, long, int, Map)]; on all ranks `ERR_RMA_SHARED` if the ranks
    ///     are on several machines; the job continues then
    public static Window shared(Comm comm, long bytes, int unitBytes, Map<String, String> info) {
        return make(comm, bytes, unitBytes, info, Flavor.SHARED, null);
    }

    /// Creates a window. `own` is memory of this rank for the window; null means new memory.
    static Window make(
            Comm comm, long bytes, int unit, Map<String, String> info, Flavor flavor, @Nullable MemorySegment own) {
        String operation = switch (flavor) {
            case ALLOCATE -> "allocate";
            case SHARED -> "shared";
            case CREATE -> "of";
            case DYNAMIC -> "dynamic";
        };
        Arguments.given(operation, "comm", comm).begin(operation);
        WindowCalls calls = comm.mpi.windows(operation);
        Arguments.checkHints(operation, "info", info, comm.port);
        if (bytes < 0) {
            throw MpiException.argument(ErrorClass.ERR_ARG, operation, "bytes=" + bytes + " is negative", comm.port);
        }
        if (unit <= 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_DISP, operation, "unitBytes=" + unit + " is not positive", comm.port);
        }
        Placement placement = Placement.ANYWHERE;
        if (flavor == Flavor.SHARED) {
            boolean apart = Boolean.parseBoolean(info.get(Hints.ALLOC_SHARED_NONCONTIG));
            placement = apart ? Placement.SHARED : Placement.SHARED_IN_ONE_ROW;
        }
        String name = comm.childName("window");
        WindowPort made;
        if (flavor == Flavor.DYNAMIC) made = calls.dynamicWindow(operation, comm.port, name);
        else if (own != null) made = calls.windowOver(operation, comm.port, name, own, unit);
        else made = calls.allocateWindow(operation, comm.port, name, bytes, unit, placement);
        return new Window(comm.mpi, made, flavor, Map.copyOf(info));
    }

    /// Like [#of(Comm, Buf, int)], with displacements in bytes.
    ///
    /// @throws MpiException as [#of(Comm, Buf, int)]
    public static Window of(Comm comm, Buf buf) {
        return of(comm, buf, 1);
    }

    /// Creates a window over existing memory, with displacements in units of `unitBytes` bytes. The memory is
    /// an array, a buffer, a segment, or a part of one of these, and must have elements of a single basic type.
    /// Memory with gaps is packed. A rank without memory passes an empty buffer. The model is [Model#SEPARATE],
    /// and the window uses three times the memory; prefer [#allocate], which is faster. Collective over `comm`,
    /// blocking. `MPI_Win_create`, MPI 4.1, section 12.2.1.
    ///
    /// @throws MpiException as [#allocate(Comm, long, int, Map)]; `ERR_BUFFER` if the buffer is missing;
    ///     `ERR_TYPE` if the elements are of several types, or some bytes occur twice
    public static Window of(Comm comm, Buf buf, int unitBytes) {
        checkOwnMemory(buf, Arguments.given("of", "comm", comm).port);
        Window made = make(comm, buf.sizeBytes(), unitBytes, Map.of(), Flavor.CREATE, null);
        made.twin = twin(buf, made.memory);
        made.created();
        return made;
    }

    /// Creates a window without memory. Ranks [#attach] memory later, and must send the displacement of this
    /// memory to the other ranks. An access must be completely within one attached piece of memory. Collective
    /// over `comm`, blocking. `MPI_Win_create_dynamic`, MPI 4.1, section 12.2.4.
    ///
    /// @throws MpiException as [#allocate(Comm, long, int, Map)]; `ERR_OTHER` over Open MPI, whose dynamic
    ///     windows crash if ranks attach memory during accesses of other ranks
    public static Window dynamic(Comm comm) {
        return make(comm, 0, 1, Map.of(), Flavor.DYNAMIC, null);
    }

    /// Makes memory that [Mpi#alloc] has returned accessible in a [#dynamic] window. Returns the displacement
    /// of the memory, which other ranks use in accesses; the displacement of a byte at offset n in the memory
    /// is larger by n. Free the memory only after [#detach]. Local. `MPI_Win_attach`, MPI 4.1, section 12.2.4.
    ///
    /// @throws MpiException `ERR_RMA_ATTACH` if other ranks cannot access the memory, or if a part of it is
    ///     already attached; `ERR_RMA_FLAVOR` if the window is not dynamic
    public long attach(MemorySegment memory) {
        return begin("attach").attach(dynamicPort("attach", flavor), memory);
    }

    /// Removes attached memory from the window. `memory` must be exactly the memory that was passed to
    /// [#attach]. Local. `MPI_Win_detach`, MPI 4.1, section 12.2.4.
    ///
    /// @throws MpiException `ERR_RMA_ATTACH` if exactly this memory is not attached; `ERR_RMA_FLAVOR` if the
    ///     window is not dynamic
    public void detach(MemorySegment memory) {
        begin("detach").detach(dynamicPort("detach", flavor), memory);
    }

    // ---- properties

    /// Returns this rank's memory. It is initially zeroed, is 64-byte aligned unless the ranks' memories are
    /// contiguous, and is valid until [#close]. Local. `MPI_WIN_BASE`, MPI 4.1, section 12.2.6.
    ///
    /// @throws MpiException `ERR_WIN` if the window is closed; `ERR_RMA_FLAVOR` if [#of] or [#dynamic] has
    ///     created the window
    public MemorySegment memory() {
        begin("memory");
        checkHasMemory(flavor);
        return memory;
    }

    /// Returns the memory of a rank on the same machine for loads and stores; for [Comm#PROC_NULL], returns the
    /// memory of the first rank that has memory. A store of one rank is visible to a second rank after three
    /// steps: [#sync] on the first rank, a barrier or a similar call, and [#sync] on the second rank. Local.
    /// `MPI_Win_shared_query`, MPI 4.1, section 12.2.3.
    ///
    /// @throws MpiException `ERR_RANK` if `rank` is not in the window; `ERR_RMA_SHARED` if the ranks of the
    ///     window do not share memory; `ERR_RMA_FLAVOR` if [#of] or [#dynamic] has created the window
    public MemorySegment memory(int rank) {
        WindowCalls calls = begin("memory");
        checkHasMemory(flavor);
        int of = rank == Comm.PROC_NULL ? firstWithMemory() : rank;
        checkRank("memory", "rank", of);
        return of == port.rank() ? memory : calls.memory(window, of);
    }

    private int firstWithMemory() {
        return IntStream.range(0, port.size())
                .filter(r -> window.bytes(r) > 0)
                .findFirst()
                .orElse(0);
    }

    /// Returns the size of a rank's memory in bytes. Local. `MPI_WIN_SIZE`, MPI 4.1, section 12.2.6.
    ///
    /// @throws MpiException `ERR_RANK` if `rank` is not in the window
    public long sizeBytes(int rank) {
        begin("sizeBytes");
        checkRank("sizeBytes", "rank", rank);
        return window.bytes(rank);
    }

    /// Returns the unit of displacements at a rank, in bytes. Local. `MPI_WIN_DISP_UNIT`, MPI 4.1, section
    /// 12.2.6.
    ///
    /// @throws MpiException `ERR_RANK` if `rank` is not in the window
    public int unitBytes(int rank) {
        begin("unitBytes");
        checkRank("unitBytes", "rank", rank);
        return window.unitBytes(rank);
    }

    /// Returns the constructor that has created this window. Local. `MPI_WIN_CREATE_FLAVOR`, MPI 4.1, section
    /// 12.2.6.
    public Flavor flavor() {
        return flavor;
    }

    /// Returns the memory model. Local. `MPI_WIN_MODEL`, MPI 4.1, section 12.2.6.
    public Model model() {
        return flavor == Flavor.CREATE ? Model.SEPARATE : Model.UNIFIED;
    }

    /// Returns the group of the window's ranks. Local. `MPI_Win_get_group`, MPI 4.1, section 12.2.6.
    ///
    /// @throws MpiException `ERR_WIN` if the window is closed
    public Group group() {
        begin("group");
        return Group.of(port, mpi.realm);
    }

    /// Returns the hints with which this window was created. Local. `MPI_Win_get_info`, MPI 4.1, section
    /// 12.2.7.
    public Map<String, String> info() {
        return hints;
    }

    /// Returns the name, which error messages contain. Local. `MPI_Win_get_name`, MPI 4.1, section 7.8.
    public String name() {
        return port.name();
    }

    /// Sets the name, which error messages contain. Local. `MPI_Win_set_name`, MPI 4.1, section 7.8.
    ///
    /// @throws MpiException `ERR_WIN` if the window is closed
    public void setName(String name) {
        begin("setName");
        port.name(Arguments.given("setName", "name", name, port));
    }

    // ---- fence

    /// Ends an epoch and begins the next epoch: on return, all accesses since the last fence are complete at
    /// the target and at the origin. Collective, blocking. `MPI_Win_fence`, MPI 4.1, section 12.5.1.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an epoch of another kind is open, or an assertion does not hold
    public void fence(Assert... promises) {
        WindowCalls calls = begin("fence");
        boolean precedes = true, succeeds = true;
        for (Assert promise : Arguments.given("fence", "promises", promises, port)) {
            precedes &= promise != Assert.NOPRECEDE;
            succeeds &= promise != Assert.NOSUCCEED;
        }
        check(epochs.fences(precedes, succeeds));
        calls.flushAll(window);
        merge(calls);
        barrier("fence");
        calls.sync(window);
        merge(calls);
    }

    // ---- post, start, complete, await

    /// Begins an epoch at the ranks of `targets`. Blocking until each target has called [#post] for this rank.
    /// `MPI_Win_start`, MPI 4.1, section 12.5.2.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an access epoch is open; `ERR_GROUP` if the group has ranks that
    ///     are not in the window
    public void start(Group targets, Assert... promises) {
        WindowCalls calls = begin("start", promises);
        int[] ranks = ranksOf("start", targets, group());
        check(epochs.starts(ranks));
        calls.start(window, ranks);
        merge(calls);
    }

    /// Ends the epoch of [#start]. On return, the accesses are complete at the origin. Local.
    /// `MPI_Win_complete`, MPI 4.1, section 12.5.2.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if no such epoch is open
    public void complete() {
        WindowCalls calls = begin("complete");
        check(epochs.completes());
        calls.flushAll(window);
        calls.complete(window, epochs.targets());
        merge(calls);
        epochs.completed();
    }

    /// Exposes this rank's memory to the ranks of `origins`, which call [#start]. Local. `MPI_Win_post`, MPI
    /// 4.1, section 12.5.2.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if this memory is already exposed; `ERR_GROUP` if the group has
    ///     ranks that are not in the window
    public void post(Group origins, Assert... promises) {
        WindowCalls calls = begin("post", promises);
        int[] ranks = ranksOf("post", origins, group());
        check(epochs.posts(ranks));
        calls.sync(window);
        merge(calls);
        calls.post(window, ranks);
    }

    /// Ends the exposure of [#post]: waits until all ranks of the group have called [#complete].
    /// Blocking. `MPI_Win_wait`, MPI 4.1, section 12.5.2.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if no such epoch is open
    public void await() {
        WindowCalls calls = begin("await");
        check(epochs.exposed("await"));
        calls.await(window, epochs.origins());
        calls.sync(window);
        merge(calls);
        epochs.unposted();
    }

    /// Ends the exposure as [#await] does, but without waiting: if a rank has not called [#complete] yet,
    /// returns false, and the exposure continues. Local. `MPI_Win_test`, MPI 4.1, section 12.5.2.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if no exposure is open
    public boolean test() {
        WindowCalls calls = begin("test");
        check(epochs.exposed("test"));
        if (!calls.test(window, epochs.origins())) {
            SleepStrategy.afterVainTest();
            return false;
        }
        calls.sync(window);
        merge(calls);
        epochs.unposted();
        return true;
    }

    // ---- locks

    /// Like [#lock(int, LockType, Assert...)], with an exclusive lock.
    ///
    /// @throws MpiException as [#lock(int, LockType, Assert...)]
    public void lock(int target) {
        lock(target, LockType.EXCLUSIVE);
    }

    /// Begins an epoch at `target`, with an exclusive or a shared lock. Locks are granted in the order of the
    /// requests. A rank holds at most one lock of a target, which is shared by all threads of the rank.
    /// Blocking until the lock is granted. `MPI_Win_lock`, MPI 4.1, section 12.5.3.
    ///
    /// @throws MpiException `ERR_RANK` if `target` is not in the window; `ERR_RMA_SYNC` if an epoch is open at
    ///     `target`
    public void lock(int target, LockType type, Assert... promises) {
        WindowCalls calls = begin("lock", promises);
        boolean exclusive = Arguments.given("lock", "type", type, port) == LockType.EXCLUSIVE;
        checkTarget("lock", target);
        check(epochs.locks("lock", target));
        calls.lock(window, target, exclusive);
        epochs.locked(target);
        if (target == port.rank()) merge(calls);
    }

    /// Releases the lock, and ends the epoch of [#lock]. Blocking until the accesses are complete
    /// at the target and at the origin. `MPI_Win_unlock`, MPI 4.1, section 12.5.3.
    ///
    /// @throws MpiException `ERR_RANK` if `target` is not in the window; `ERR_RMA_SYNC` if this rank has not
    ///     locked `target`
    public void unlock(int target) {
        WindowCalls calls = begin("unlock");
        checkTarget("unlock", target);
        check(epochs.unlocks("unlock", target));
        if (target == port.rank()) merge(calls);
        calls.unlock(window, target);
        epochs.unlocked(target);
    }

    /// Begins an epoch at all ranks, with shared locks, which are requested one after the other in rank order.
    /// Not collective. Blocking until all locks are granted. `MPI_Win_lock_all`, MPI 4.1, section 12.5.3.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an access epoch is open
    public void lockAll(Assert... promises) {
        WindowCalls calls = begin("lockAll", promises);
        check(epochs.locksAll());
        for (int r = 0; r < port.size(); r++) calls.lock(window, r, false);
        epochs.lockedAll();
        merge(calls);
    }

    /// Releases the locks, and ends the epoch of [#lockAll]. Blocking until the accesses are complete at all
    /// targets and at the origin. `MPI_Win_unlock_all`, MPI 4.1, section 12.5.3.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if no such epoch is open
    public void unlockAll() {
        WindowCalls calls = begin("unlockAll");
        check(epochs.unlocksAll());
        merge(calls);
        for (int r = 0; r < port.size(); r++) calls.unlock(window, r);
        epochs.unlockedAll();
    }

    /// Waits until this rank's accesses to `target` are complete at the target and at the origin. Must be
    /// called within an epoch of [#lock] or [#lockAll]. Blocking. `MPI_Win_flush`, MPI 4.1, section 12.5.4.
    ///
    /// @throws MpiException `ERR_RANK` if `target` is not in the window; `ERR_RMA_SYNC` if no such epoch is
    ///     open
    public void flush(int target) {
        flush("flush", target);
    }

    /// Completes this rank's accesses to all ranks, as [#flush] does. `MPI_Win_flush_all`, MPI 4.1, section
    /// 12.5.4.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if no such epoch is open
    public void flushAll() {
        flushAll("flushAll");
    }

    /// Completes this rank's accesses to `target` locally: the data of gets has been stored, and the buffers of
    /// puts can be reused. This is already the case when an access returns. Local. `MPI_Win_flush_local`, MPI
    /// 4.1, section 12.5.4.
    ///
    /// @throws MpiException as [#flush]
    public void flushLocal(int target) {
        flush("flushLocal", target);
    }

    /// Completes this rank's accesses to all ranks locally, as [#flushLocal] does. `MPI_Win_flush_local_all`,
    /// MPI 4.1, section 12.5.4.
    ///
    /// @throws MpiException as [#flushAll]
    public void flushLocalAll() {
        flushAll("flushLocalAll");
    }

    private void flush(String operation, int target) {
        WindowCalls calls = begin(operation);
        checkTarget(operation, target);
        check(epochs.passive(operation, target));
        calls.flush(window, target);
    }

    private void flushAll(String operation) {
        WindowCalls calls = begin(operation);
        check(epochs.passive(operation));
        calls.flushAll(window);
    }

    /// Synchronizes this rank's loads and stores in memory of the window with accesses of other ranks to that
    /// memory. Must be called within an epoch of [#lock] or [#lockAll]. Local. `MPI_Win_sync`, MPI 4.1, section
    /// 12.5.4.
    ///
    /// @throws MpiException `ERR_WIN` if the window is closed
    public void sync() {
        WindowCalls calls = begin("sync");
        calls.sync(window);
        merge(calls);
    }

    // ---- close

    /// Waits until all ranks have called this method, and closes the window. Collective, blocking.
    /// `MPI_Win_free`, MPI 4.1, section 12.2.5.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an epoch is open on this rank
    public void free() {
        WindowCalls calls = begin("free");
        check(epochs.closes("free"));
        barrier("free");
        close();
    }

    /// Closes the window on this rank. Other ranks can continue to access this rank's memory, because the
    /// memory is freed when all ranks have closed the window. Only the segment that this rank got from
    /// [#memory] then refuses accesses (on `shm` only if the process has native access). A second call has no
    /// effect. Local.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an epoch is open on this rank; `ERR_WIN` while a call of a
    ///     different thread uses the memory
    @Override
    public synchronized void close() {
        if (closedAt != null) return;
        WindowCalls calls = mpi.windows("close");
        Fault refusal = epochs.closes("close");
        isCloseRefused = refusal != null;
        check(refusal);
        calls.free(window);
        closedAt = UserLine.at();
        mpi.open.closed(this);
    }

    @Override
    void checkOpen(String operation) {
        String at = closedAt;
        if (at != null) {
            throw MpiException.argument(
                    ErrorClass.ERR_WIN, operation, "the window " + name() + " was closed" + at, port);
        }
    }

    @Override
    public String toString() {
        return "Window (" + port + ")";
    }
}
