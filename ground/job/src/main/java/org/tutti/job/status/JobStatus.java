package org.tutti.job.status;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;

/// The status of each rank of a job, for the launcher: its state, its waits, and, after a failure, the time and
/// the reason. Each rank writes its page, and the launcher reads all pages. The status is also used in a job
/// that a native MPI's launcher runs on this machine.
///
///     header page      0 magic        8 size          16 pid of the launcher               24 request to the ranks
///                      32 wish        40 granted      48 ranks lost      56 1: losses allowed  64 1: serves
///                      72 1: ends     80 1 + rank of the first failure   88 path of the StacksFile
///                      512 engine and programs of the job                2048 answer to the wish
///     page of rank r   0 state        8 pid           16 failed at, System.nanoTime        24 exit code
///                      32 answered request            40 text                              int64, native order
///     followed by      long waits of the rank: WaitPage
///     followed by      0 task started 8 first task of the rank       16 1: lost
///                      24 name of the tasks                          256 how the rank was lost
///     a text           length, then UTF-8
///
/// `state` is stored last, with release. The same applies to the numbers of requests, wishes and answers, which
/// increase. By a *request*, the launcher asks the ranks for their state; by a *wish*, a process outside the
/// job asks the launcher for a service. In a job that survives deaths of pool workers, the launcher publishes
/// the lost workers.
public final class JobStatus {
    /// A part of the error of a rank that waits for a rank that has left. The rank that has left may have done
    /// so because of an error that is reported a moment later: an exception that leaves a try-with-resources
    /// block first closes the Mpi.
    public static final String LEFT_TEXT = " left the job by Mpi.close";

    /// The state of a rank.
    public enum State {
        /// The page has not been written.
        ABSENT,
        /// The process is running, but has not called `Mpi.init`.
        STARTED,
        /// The rank is in `Mpi.init`.
        JOINING,
        /// The rank is between `Mpi.init` and `Mpi.close`.
        JOINED,
        /// The rank has left by a successful `Mpi.close`.
        LEFT,
        /// The rank has failed, and has reported the reason.
        FAILED;

        private static final State[] ALL = values();
    }

    /// A request to the launcher by a process of the same user.
    public enum Wish {
        /// The stacks of all ranks, in a file without a name.
        STACKS,
        /// A report file.
        REPORT;

        private static final Wish[] ALL = values();
    }

    private static final long MAGIC = 0x5455545449303036L; // "TUTTI006"
    private static final int PAGE = 4096;
    private static final int LENGTH = 8;
    private static final int POOL = PAGE + WaitPage.BYTES, POOL_BYTES = 512;
    private static final int RANK_BYTES = POOL + POOL_BYTES;
    private static final int STATE = 0, PID = 8, FAILED_AT = 16, EXIT_CODE = 24, ANSWERED = 32, TEXT = 40;
    private static final int STARTED = POOL, FIRST_TASK = POOL + 8, IS_LOST = POOL + 16;
    private static final int TASKS = POOL + 24, LOSS = POOL + 256;
    private static final int SIZE = 8,
            LAUNCHER_PID = 16,
            REQUEST = 24,
            WISH = 32,
            GRANTED = 40,
            LOST = 48,
            OUTLIVES = 56,
            SERVES = 64,
            ENDS = 72,
            FIRST_FAILED = 80;
    private static final int STACKS_FILE = 88, PROGRAM = 512, GRANT = 2048;

    /// The handle is for a buffer and not for a segment, because a segment's handle consists of method handles,
    /// whose creation took 40 ms at every start.
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;
    private final int size;

    /// The job's file; null for ranks that are threads of this process.
    private final @Nullable JobFile file;

    private final @Nullable FlightRing[] flights;

    private JobStatus(@Nullable JobFile file, ByteBuffer memory, int size) {
        this.file = file;
        this.memory = memory;
        this.size = size;
        flights = new @Nullable FlightRing[size];
    }

    /// Returns the size of the status area in the job's file; the engine's area begins at this offset. The size
    /// is a multiple of 64 KiB.
    public static long bytes(int size) {
        long used = PAGE + (long) RANK_BYTES * size;
        return (used + 0xffff) & -0x10000L;
    }

    /// Returns the number of bytes at the beginning of the engine's area that are allocated from the start,
    /// because they are the space for the engine's tables.
    public static long engineTables(int size) {
        long most = 64L + 128L * size;
        return (most + PAGE - 1) & -PAGE;
    }

    /// Creates the status of a new job, for the launcher: allocates the status area and the tables, and writes
    /// the header of the file.
    ///
    /// @param tables whether the engine stores tables after the status area
    public static JobStatus create(JobFile file, int size, boolean tables) throws IOException {
        file.commit(0, bytes(size) + (tables ? engineTables(size) : 0));
        ByteBuffer memory = map(file, size);
        memory.putLong(SIZE, size);
        memory.putLong(LAUNCHER_PID, ProcessHandle.current().pid());
        LONG.setRelease(memory, 0, MAGIC);
        return new JobStatus(file, memory, size);
    }

    /// Returns the status of ranks that are threads of this process, in the memory of the process.
    ///
    /// @param flights the recorders of the ranks
    public static JobStatus ofThreads(List<FlightRing> flights) {
        int size = flights.size();
        ByteBuffer memory = ByteBuffer.allocateDirect((int) bytes(size)).order(ByteOrder.nativeOrder());
        memory.putLong(SIZE, size);
        memory.putLong(LAUNCHER_PID, ProcessHandle.current().pid());
        JobStatus status = new JobStatus(null, memory, size);
        for (int r = 0; r < size; r++) status.flights[r] = flights.get(r).reader();
        return status;
    }

    /// Opens the status of the job, for a rank.
    public static JobStatus attach(JobFile file, int size) throws IOException {
        ByteBuffer memory = map(file, size);
        long magic = (long) LONG.getAcquire(memory, 0);
        long found = memory.getLong(SIZE);
        if (magic != MAGIC || found != size) {
            throw new IOException(file.path() + " is not the status of a job of " + size + " ranks (magic "
                    + Long.toHexString(magic) + ", size " + found + ")");
        }
        return new JobStatus(file, memory, size);
    }

    /// Returns the status of a job to which this process does not belong; null if the file is not the file of a
    /// job.
    public static @Nullable JobStatus find(JobFile file) throws IOException {
        ByteBuffer head = file.map(0, PAGE, Arena.ofAuto()).asByteBuffer().order(ByteOrder.nativeOrder());
        if ((long) LONG.getAcquire(head, 0) != MAGIC) return null;
        return attach(file, (int) head.getLong(SIZE));
    }

    private static ByteBuffer map(JobFile file, int size) throws IOException {
        return file.map(0, bytes(size), Arena.global()).asByteBuffer().order(ByteOrder.nativeOrder());
    }

    public int size() {
        return size;
    }

    /// Returns the path that ranks of this machine have in the environment; empty for ranks that are threads.
    public String path() {
        return file == null ? "" : file.path();
    }

    /// Returns the job's shared memory; null for ranks that are threads.
    public @Nullable JobFile file() {
        return file;
    }

    public long launcherPid() {
        return memory.getLong(LAUNCHER_PID);
    }

    private static int page(int rank) {
        return PAGE + RANK_BYTES * rank;
    }

    /// Registers this process as rank `rank`. Returns the pid of a different process that has already
    /// registered as this rank, otherwise 0.
    public long claim(int rank, long pid) {
        long before = (long) LONG.compareAndExchange(memory, page(rank) + PID, 0L, pid);
        if (before != 0 && before != pid) return before;
        if (state(rank) == State.ABSENT) state(rank, State.STARTED);
        return 0;
    }

    /// Records that the launcher ends the remaining ranks, because the job has failed or the time limit is
    /// exceeded.
    public void ends() {
        LONG.setRelease(memory, ENDS, 1L);
    }

    /// Returns whether the launcher ends ranks, or will end ranks because a rank has failed.
    public boolean hasFailed() {
        if ((long) LONG.getAcquire(memory, ENDS) != 0) return true;
        for (int rank = 0; rank < size; rank++) if (state(rank) == State.FAILED) return true;
        return false;
    }

    public State state(int rank) {
        return State.ALL[(int) (long) LONG.getAcquire(memory, page(rank) + STATE)];
    }

    public void state(int rank, State now) {
        LONG.setRelease(memory, page(rank) + STATE, (long) now.ordinal());
    }

    /// Returns the rank's flight recorder, read-only.
    public synchronized FlightRing flight(int rank) {
        FlightRing known = flights[rank];
        JobFile of = file;
        if (known != null || of == null) return known == null ? FlightRing.absent() : known;
        try {
            FlightRing flight = FlightRing.reader(of, rank);
            if (flight.isThere()) flights[rank] = flight;
            return flight;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map " + of.path() + ": " + e.getMessage(), e);
        }
    }

    /// Returns the rank's page of waits.
    public WaitPage waits(int rank) {
        return new WaitPage(memory, page(rank) + PAGE);
    }

    public long pid(int rank) {
        return (long) LONG.getAcquire(memory, page(rank) + PID);
    }

    /// Records that the rank has failed now, for the reason `text`. Only the first report of a rank is stored.
    public synchronized void fail(int rank, int exitCode, String text) {
        if (state(rank) == State.FAILED) return;
        int page = page(rank);
        put(page + TEXT, page + PAGE, text);
        memory.putLong(page + EXIT_CODE, exitCode);
        memory.putLong(page + FAILED_AT, System.nanoTime());
        state(rank, State.FAILED);
    }

    /// Records that `rank` has failed. Returns the rank for which this method was called first.
    public int firstFailed(int rank) {
        long before = (long) LONG.compareAndExchange(memory, FIRST_FAILED, 0L, rank + 1L);
        return before == 0 ? rank : (int) before - 1;
    }

    /// Returns the time of a rank's failure, which is comparable between the processes of a machine.
    public long failedAtNanos(int rank) {
        return memory.getLong(page(rank) + FAILED_AT);
    }

    public int exitCode(int rank) {
        return (int) memory.getLong(page(rank) + EXIT_CODE);
    }

    /// Returns the reason of a rank's failure.
    public String text(int rank) {
        return get(page(rank) + TEXT, page(rank) + PAGE);
    }

    /// Stores a text at `at`, truncated so that it ends at `end`.
    private void put(int at, int end, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, end - at - LENGTH);
        while (length > 0 && length < utf8.length && (utf8[length] & 0xc0) == 0x80) length--;
        memory.put(at + LENGTH, utf8, 0, length);
        memory.putLong(at, length);
    }

    private String get(int at, int end) {
        byte[] utf8 = new byte[Math.clamp(memory.getLong(at), 0, end - at - LENGTH)];
        memory.get(at + LENGTH, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    // ---- tasks of a pool, and workers that die

    /// Records that rank 0 has created a pool: from now on the job survives the deaths of other ranks, if the
    /// launcher supports this.
    public void outlivesWorkers() {
        LONG.setRelease(memory, OUTLIVES, 1L);
    }

    /// Returns whether rank 0 has created a pool.
    public boolean mayLoseWorkers() {
        return (long) LONG.getAcquire(memory, OUTLIVES) != 0;
    }

    /// Records that a rank has started to accept calls; see `tutti serve`.
    public void serves() {
        LONG.setRelease(memory, SERVES, 1L);
    }

    public boolean hasServed() {
        return (long) LONG.getAcquire(memory, SERVES) != 0;
    }

    /// Sets the rank's current tasks: tasks of the operation `name`, numbered from `first`. If `name` is null,
    /// the previous name stays valid.
    public void tasks(int rank, long first, @Nullable String name) {
        if (name != null) put(page(rank) + TASKS, page(rank) + LOSS, name);
        memory.putLong(page(rank) + FIRST_TASK, first);
    }

    /// Sets the rank's progress. The upper half of `word` is the number of the message that contained the
    /// tasks. The lower half is the number of tasks that have started, or 0 after all tasks have ended.
    public void started(int rank, long word) {
        LONG.setRelease(memory, page(rank) + STARTED, word);
    }

    public long started(int rank) {
        return (long) LONG.getAcquire(memory, page(rank) + STARTED);
    }

    /// Describes the rank's current or last task, for example as `task 204 of map at Fit.java:88`; returns an
    /// empty string if the rank has no unfinished tasks.
    public String task(int rank) {
        long count = started(rank) & 0xffff_ffffL;
        if (count == 0) return "";
        return "task " + (memory.getLong(page(rank) + FIRST_TASK) + count - 1) + " of "
                + get(page(rank) + TASKS, page(rank) + LOSS);
    }

    /// Records that the launcher has detected the rank's end; the job continues without the rank.
    ///
    /// @param how how the rank ended, for example `was killed (SIGKILL)`
    public synchronized void lose(int rank, String how) {
        put(page(rank) + LOSS, page(rank) + RANK_BYTES, how);
        LONG.setRelease(memory, page(rank) + IS_LOST, 1L);
        LONG.setRelease(memory, LOST, losses() + 1);
    }

    /// Returns the number of ranks that the launcher has lost.
    public long losses() {
        return (long) LONG.getAcquire(memory, LOST);
    }

    public boolean isLost(int rank) {
        return (long) LONG.getAcquire(memory, page(rank) + IS_LOST) != 0;
    }

    /// Returns how a rank was lost, for example `was killed (SIGKILL)`.
    public String loss(int rank) {
        return get(page(rank) + LOSS, page(rank) + RANK_BYTES);
    }

    // ---- questions

    /// Requests the state of all ranks, for the launcher: each rank writes the stacks of all its threads to the
    /// [StacksFile] at `path`. Called by only one thread. Returns the number of the request.
    public long ask(String path) {
        put(STACKS_FILE, PROGRAM, path);
        long number = request() + 1;
        LONG.setRelease(memory, REQUEST, number);
        return number;
    }

    /// Returns the last request of the launcher; 0 before the first.
    public long request() {
        return (long) LONG.getAcquire(memory, REQUEST);
    }

    /// Returns the path of the file for stacks.
    public String stacksFile() {
        return get(STACKS_FILE, PROGRAM);
    }

    /// Records that the rank has written the stacks.
    public void answer(int rank, long request) {
        LONG.setRelease(memory, page(rank) + ANSWERED, request);
    }

    /// Returns the last request that the rank has answered.
    public long answered(int rank) {
        return (long) LONG.getAcquire(memory, page(rank) + ANSWERED);
    }

    /// Publishes the job's engine and program for other processes.
    public void program(String words) {
        put(PROGRAM, GRANT, words);
    }

    public String program() {
        return get(PROGRAM, GRANT);
    }

    /// Sends a request of this process to the launcher. Returns the number of the request; 0 if an earlier
    /// request has not been answered.
    public long wish(Wish what) {
        long last = (long) LONG.getAcquire(memory, WISH);
        if (last != granted()) return 0;
        long next = (last / Wish.ALL.length + 1) * Wish.ALL.length + what.ordinal();
        return LONG.compareAndSet(memory, WISH, last, next) ? next : 0;
    }

    /// Returns the request that the launcher has not answered; null if there is none.
    public @Nullable Wish wished() {
        long last = (long) LONG.getAcquire(memory, WISH);
        return last == granted() ? null : Wish.ALL[(int) (last % Wish.ALL.length)];
    }

    /// Answers the request.
    ///
    /// @param words the path of a file; for a refusal, `!` followed by the reason
    public void grant(String words) {
        put(GRANT, PAGE, words);
        LONG.setRelease(memory, GRANTED, (long) LONG.getAcquire(memory, WISH));
    }

    /// Returns the number of the last answered request.
    public long granted() {
        return (long) LONG.getAcquire(memory, GRANTED);
    }

    /// Returns the launcher's answer.
    public String grantText() {
        return get(GRANT, PAGE);
    }

    @Override
    public String toString() {
        State[] states = new State[size];
        for (int r = 0; r < size; r++) states[r] = state(r);
        return "status " + Arrays.toString(states);
    }
}
