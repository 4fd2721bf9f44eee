package org.tutti.mpi.bootstrap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// What each rank of a job tells the launcher: where it stands, what it waits for, and, when it failed,
/// when and why. Ranks write their own pages, the launcher reads all; also in a job that a native MPI's
/// launcher runs on this machine.
///
///     header page      0 magic        8 size          16 pid of the launcher
///     page of rank r   0 state        8 pid           16 failed at, System.nanoTime        24 exit code
///                      32 length of the text          40 text, UTF-8 …                     int64, native order
///     and behind it    its long waits: WaitPage
///
/// `state` is stored last, with release.
public final class JobBoard {
    /// Where a rank stands.
    public enum State {
        /// Nobody has written this page.
        ABSENT,
        /// The process runs, before `Mpi.init` or without it.
        STARTED,
        /// In `Mpi.init`.
        JOINING,
        /// Between `Mpi.init` and `Mpi.close`.
        JOINED,
        /// After a clean `Mpi.close`.
        LEFT,
        /// It knows that it failed, and why.
        FAILED;

        private static final State[] ALL = values();
    }

    private static final long MAGIC = 0x5455545449303032L; // "TUTTI002"
    private static final int PAGE = 4096;
    private static final int RANK_BYTES = PAGE + WaitPage.BYTES;
    private static final int STATE = 0, PID = 8, FAILED_AT = 16, EXIT_CODE = 24, TEXT_LENGTH = 32, TEXT = 40;
    private static final int TEXT_ROOM = PAGE - TEXT;
    private static final int SIZE = 8, LAUNCHER_PID = 16;

    /// Of a buffer, not of a segment: a segment's handle is built of method handles, which took 40 ms of
    /// every start.
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;
    private final int size;

    private JobBoard(ByteBuffer memory, int size) {
        this.memory = memory;
        this.size = size;
    }

    /// How much of the job's file belongs to the board; the engine's area begins there. A multiple of 64 KiB.
    public static long bytes(int size) {
        long used = PAGE + (long) RANK_BYTES * size;
        return (used + 0xffff) & -0x10000L;
    }

    /// How much of the engine's area, from its beginning, has memory from the start: room for its tables.
    public static long engineTables(int size) {
        long most = 64L + 128L * size + 8L * size * size;
        return (most + PAGE - 1) & -PAGE;
    }

    /// The launcher's side: takes the memory of board and tables, and writes the header of a new file.
    ///
    /// @param tables whether the engine keeps tables behind the board
    public static JobBoard create(JobFile file, int size, boolean tables) throws IOException {
        file.commit(0, bytes(size) + (tables ? engineTables(size) : 0));
        ByteBuffer memory = map(file, size);
        memory.putLong(SIZE, size);
        memory.putLong(LAUNCHER_PID, ProcessHandle.current().pid());
        LONG.setRelease(memory, 0, MAGIC);
        return new JobBoard(memory, size);
    }

    /// A rank's side.
    public static JobBoard attach(JobFile file, int size) throws IOException {
        ByteBuffer memory = map(file, size);
        long magic = (long) LONG.getAcquire(memory, 0);
        long said = memory.getLong(SIZE);
        if (magic != MAGIC || said != size) {
            throw new IOException(file.path() + " is no board of a job of " + size + " ranks (magic "
                    + Long.toHexString(magic) + ", size " + said + ")");
        }
        return new JobBoard(memory, size);
    }

    private static ByteBuffer map(JobFile file, int size) throws IOException {
        return file.map(0, bytes(size), Arena.global()).asByteBuffer().order(ByteOrder.nativeOrder());
    }

    public int size() {
        return size;
    }

    public long launcherPid() {
        return memory.getLong(LAUNCHER_PID);
    }

    private static int page(int rank) {
        return PAGE + RANK_BYTES * rank;
    }

    /// This process is rank `rank` from now on. Returns the pid of another process that said so before,
    /// else 0.
    public long claim(int rank, long pid) {
        long before = (long) LONG.compareAndExchange(memory, page(rank) + PID, 0L, pid);
        if (before != 0 && before != pid) return before;
        if (state(rank) == State.ABSENT) state(rank, State.STARTED);
        return 0;
    }

    public State state(int rank) {
        return State.ALL[(int) (long) LONG.getAcquire(memory, page(rank) + STATE)];
    }

    public void state(int rank, State now) {
        LONG.setRelease(memory, page(rank) + STATE, (long) now.ordinal());
    }

    /// What the rank waits for.
    public WaitPage waits(int rank) {
        return new WaitPage(memory, page(rank) + PAGE);
    }

    public long pid(int rank) {
        return (long) LONG.getAcquire(memory, page(rank) + PID);
    }

    /// The rank failed now, for the reason in `text`. The first report of a rank stands.
    public synchronized void fail(int rank, int exitCode, String text) {
        if (state(rank) == State.FAILED) return;
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, TEXT_ROOM);
        while (length > 0 && length < utf8.length && (utf8[length] & 0xc0) == 0x80) length--;
        int page = page(rank);
        memory.put(page + TEXT, utf8, 0, length);
        memory.putLong(page + TEXT_LENGTH, length);
        memory.putLong(page + EXIT_CODE, exitCode);
        memory.putLong(page + FAILED_AT, System.nanoTime());
        state(rank, State.FAILED);
    }

    /// When a failed rank failed; comparable between the processes of one machine.
    public long failedAtNanos(int rank) {
        return memory.getLong(page(rank) + FAILED_AT);
    }

    public int exitCode(int rank) {
        return (int) memory.getLong(page(rank) + EXIT_CODE);
    }

    /// Why a failed rank failed.
    public String text(int rank) {
        byte[] utf8 = new byte[Math.clamp(memory.getLong(page(rank) + TEXT_LENGTH), 0, TEXT_ROOM)];
        memory.get(page(rank) + TEXT, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        State[] states = new State[size];
        for (int r = 0; r < size; r++) states[r] = state(r);
        return "board " + Arrays.toString(states);
    }
}
