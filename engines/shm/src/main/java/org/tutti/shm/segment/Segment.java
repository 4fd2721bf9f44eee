package org.tutti.shm.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// The engine's area of the job's file.
///
///     0            64               64 + 128·n
///     |  head      |  rank blocks   |  extents: rings, user memory …
///
///     head         0 free, int64: bytes taken after the rank blocks so far; compare-and-set
///                  8 processes, int64: how many numbers were given; 0 while only those of the first world were
///                  16 left, int64: how many of them have left
///                  24 notes, int64: where the newest of SharedNotes begins; 0 for none
///     rank block   0 bell, int32: changes when the rank is to wake      4 sleepers, int32
///                  8 left, int32: 1 once the rank has left the job
///                  16 pid, int64: of a process that no launcher watches for the others here; else 0
///                  24 began, int64: when it did, as the system says, in milliseconds; 0 where it does not say
///                  64 ring count, int64: how often the rings towards this rank have changed
///                  72 world area, int64: where its posts in the world's slots begin; 0 for nowhere yet
///                  80 rings, int64: where the newest ring towards this rank begins, from the area's start; 0 for
///                  none yet. Each names the one before it; compare-and-set once the ring may be used
///
/// Each process that ever was has a number, and a block of its own: those of the world that the launcher started
/// are 0 … n - 1, those of worlds that were spawned follow. So `rank` is a process's number here. `n` above is how
/// many there may be, of which only the blocks that are used have memory.
///
/// A ring has its own extent, so that 128 ranks of which few talk to each other take little memory.
public final class Segment {
    private static final long FREE = 0,
            PROCESSES = 8,
            LEFT_PROCESSES = 16,
            NOTES = 24,
            RANK_BLOCKS = 64,
            RANK_BLOCK_BYTES = 128;
    /// In place of the number of a process that has ended.
    private static final long DEAD = -1;

    private static final long BELL = 0, SLEEPERS = 4, LEFT = 8, PID = 16, BEGAN = 24;
    private static final long RING_COUNT = 64, WORLD_AREA = 72, RINGS = 80;

    /// In the head of a ring: where the one before it begins, int64.
    private static final long RING_BEFORE = 88;

    /// Address space alone: 128 MiB of it.
    private static final int MOST_PROCESSES = 1 << 20;

    /// What rings are sized for at most where processes of several jobs meet.
    private static final int GROUPS = 2;

    private static final long PAGE = 4096;
    private static final long RING_BUDGET = 32L << 20;

    /// The most that a rank gets from all others together, and from one of them, without having asked for it.
    private static final long MOST_UNRECEIVED = 64L << 20, MOST_OF_ONE = 4L << 20, LEAST_OF_ONE = 256 << 10;
    private static final int POSTS = 32;
    private static final int SMALLEST_RING = 2 << 10, LARGEST_RING = 512 << 10;

    /// Takes memory for an extent before it is touched.
    @FunctionalInterface
    public interface Commit {
        /// @throws UncheckedIOException when there is no room
        void commit(long at, long bytes);

        /// Called before an extent is taken for the first time.
        ///
        /// @throws IOException when it is known that there is no room
        default void checkRoom(long bytes) throws IOException {}
    }

    private final Commit file;
    private final @Nullable String address;
    private final int capacity;
    private final int ringBytes;
    private final int posts;
    private final long mostUnreceived;
    private final Shared memory;
    private final long extents;

    /// Over memory whose tables are committed and all of whose bytes were zero when the job began.
    ///
    /// @param capacity how many processes there may be
    /// @param ringBytes of data in each ring, a power of two
    /// @param posts see [#posts]
    /// @param mostUnreceived see [#mostUnreceived]
    public Segment(Shared memory, int capacity, int ringBytes, int posts, long mostUnreceived, Commit file) {
        this(memory, capacity, ringBytes, posts, mostUnreceived, file, null);
    }

    private Segment(
            Shared memory,
            int capacity,
            int ringBytes,
            int posts,
            long mostUnreceived,
            Commit file,
            @Nullable String address) {
        this.file = file;
        this.address = address;
        this.capacity = capacity;
        this.ringBytes = ringBytes;
        this.posts = posts;
        this.mostUnreceived = mostUnreceived;
        this.memory = memory;
        extents = JobStatus.engineTables(capacity);
    }

    /// The area of `file` from `base` on; mapped for as long as `arena` lives. The memory of this process's block
    /// was committed by whoever created the file, or spawned the process.
    ///
    /// @param size how many processes there are, or will be soon
    public static Segment attach(JobFile file, long base, int size, Arena arena) {
        return attach(file, base, size, MOST_PROCESSES, base + " " + file.path(), arena);
    }

    /// That of another process, for a world that it has invited.
    ///
    /// @param address as [#address] says it there
    /// @param size how many processes there are now
    public static Segment attach(String address, int size, Arena arena) throws IOException {
        int blank = address.indexOf(' ');
        JobFile file = JobFile.attach(address.substring(blank + 1));
        return attach(file, Long.parseLong(address.substring(0, blank)), size, arena);
    }

    /// In a new file of this process's own, which was started without a launcher.
    public static Segment ofOneProcess(OsPlatform door, Arena arena) {
        try {
            JobFile file = door.createFile("tutti", JobFile.BYTES);
            file.commit(JobStatus.bytes(1), JobStatus.engineTables(1));
            if (file.isNameless()) return attach(file, JobStatus.bytes(1), 1, arena);
            Segment made = attach(file, JobStatus.bytes(1), 1, 1, null, arena);
            file.hide();
            return made;
        } catch (IOException e) {
            throw noMemory(e);
        }
    }

    private static Segment attach(
            JobFile file, long base, int size, int capacity, @Nullable String address, Arena arena) {
        try {
            Shared memory = new Shared(file.map(base, JobFile.BYTES - base, arena));
            Commit commit = new Commit() {
                @Override
                public void commit(long at, long bytes) {
                    file.commit(base + at, bytes);
                }

                @Override
                public void checkRoom(long bytes) throws IOException {
                    file.checkRoom(bytes);
                }
            };
            return new Segment(memory, capacity, ringBytes(size), POSTS, mostUnreceived(size), commit, address);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map " + file.path() + ": " + e.getMessage(), e);
        }
    }

    /// In a new file that no other process finds: for ranks that are threads of this one.
    public static Segment ofThisProcess(OsPlatform door, int size, Arena arena) {
        try {
            JobFile file = door.createFile("tutti", JobFile.BYTES);
            file.commit(JobStatus.bytes(size), JobStatus.engineTables(size));
            Segment made = attach(file, JobStatus.bytes(size), size, size, null, arena);
            file.hide();
            return made;
        } catch (IOException e) {
            throw noMemory(e);
        }
    }

    /// In a new file for processes of several jobs, none of which is there yet.
    ///
    /// @param label see [OsPlatform#createFile]
    /// @param made takes the file; once it is hidden, nobody attaches it any more
    public static Segment ofSeveralJobs(OsPlatform door, String label, Consumer<JobFile> made, Arena arena) {
        try {
            JobFile file = door.createFile(label, JobFile.BYTES);
            file.commit(0, JobStatus.engineTables(1));
            made.accept(file);
            return attach(file, 0, GROUPS, arena);
        } catch (IOException e) {
            throw noMemory(e);
        }
    }

    private static UncheckedIOException noMemory(IOException e) {
        return new UncheckedIOException("no shared memory for the job: " + e.getMessage(), e);
    }

    /// Where other processes of this user attach it while the process lives that made it; null where they cannot.
    public @Nullable String address() {
        return address;
    }

    public Shared memory() {
        return memory;
    }

    /// How many processes there may be.
    public int capacity() {
        return capacity;
    }

    /// Gives numbers to `count` new processes, and memory to their blocks. Returns the first number.
    ///
    /// @param known how many processes have numbers at least
    /// @throws Fault `ERR_SPAWN` when there are no such numbers left, `ERR_NO_MEM` when there is no room
    public int newProcesses(int count, int known, String what) {
        long before, first;
        do {
            before = memory.getLongAcquire(PROCESSES);
            first = Math.max(before, known);
            if (first + count > capacity) {
                throw Fault.argument(
                        PredefinedErrorClass.ERR_SPAWN,
                        what,
                        "a job has at most " + capacity + " processes in all its time, those that have ended included,"
                                + " and has had " + first,
                        null);
            }
        } while (!memory.compareAndSetLong(PROCESSES, before, first + count));
        try {
            file.commit(rankBlock((int) first), RANK_BLOCK_BYTES * count);
        } catch (UncheckedIOException e) {
            throw noRoom(what, String.valueOf(e.getMessage()));
        }
        return (int) first;
    }

    /// Bytes of data in a ring that is made now: the more processes there are, the fewer.
    public int ringBytes() {
        return hasSpawned() ? Math.min(ringBytes, ringBytes(livingProcesses())) : ringBytes;
    }

    /// How many processes there have been, if there were `known` at least.
    public int processes(int known) {
        return (int) Math.max(known, memory.getLongAcquire(PROCESSES));
    }

    /// Where the newest of the notes begins; 0 while there is none.
    long newestNote() {
        return memory.getLongAcquire(NOTES);
    }

    /// Returns false when `before` is not the newest one any more.
    boolean publishNote(long before, long at) {
        return memory.compareAndSetLong(NOTES, before, at);
    }

    /// Whether there have been processes of other worlds than the first.
    public boolean hasSpawned() {
        return memory.getLongAcquire(PROCESSES) != 0;
    }

    private int livingProcesses() {
        return (int) (memory.getLongAcquire(PROCESSES) - memory.getLongAcquire(LEFT_PROCESSES));
    }

    /// How many of its collective calls on a communicator a rank keeps posted: so far a root may be ahead of the
    /// others. A power of two, at least 4.
    public int posts() {
        return posts;
    }

    /// The more ranks, the smaller a ring, so that all of a job's rings stay within 32 MiB.
    private static int ringBytes(int size) {
        long each = RING_BUDGET / Math.max(1, (long) size * size);
        return Math.clamp(Long.highestOneBit(each), SMALLEST_RING, LARGEST_RING);
    }

    /// How many bytes of messages, with their records, a rank that has not received them gets from each
    /// other one before these keep what they send.
    public long mostUnreceived() {
        return mostUnreceived;
    }

    private static long mostUnreceived(int size) {
        return Math.clamp(MOST_UNRECEIVED / Math.max(1, size - 1), LEAST_OF_ONE, MOST_OF_ONE);
    }

    /// Takes `bytes` bytes that nobody has used, on a boundary of 64 bytes (4096 from a page on).
    ///
    /// @throws Fault `ERR_NO_MEM` when the file system or the segment has no room for them
    public long extent(long bytes, String what) {
        long align = alignment(bytes);
        long taken, start;
        do {
            taken = memory.getLongAcquire(FREE);
            start = aligned(extents + taken, align);
            if (bytes > memory.segment().byteSize() - start) {
                String where = "the job's shared memory of " + memory.segment().byteSize() + " bytes, of which "
                        + (extents + taken) + " are taken";
                throw noRoom(what, bytes + " bytes do not fit into " + where);
            }
            checkLeft(bytes, true, what);
        } while (!memory.compareAndSetLong(FREE, taken, start + bytes - extents));
        try {
            file.commit(start, bytes);
        } catch (UncheckedIOException e) {
            // what was written of it stays taken from the system; the next extent may lie there
            memory.compareAndSetLong(FREE, start + bytes - extents, taken);
            throw noRoom(what, String.valueOf(e.getMessage()));
        }
        return start;
    }

    /// The boundary that an extent of `bytes` bytes begins on.
    static long alignment(long bytes) {
        return bytes >= PAGE ? PAGE : 64;
    }

    static long aligned(long at, long align) {
        return at + align - 1 & -align;
    }

    /// Fills an extent that was given back with zeros, for which the system may have no room.
    ///
    /// @throws Fault `ERR_NO_MEM` when it has none
    void renew(long at, long bytes, String what) {
        checkLeft(bytes, false, what);
        try {
            file.commit(at, bytes);
        } catch (UncheckedIOException e) {
            throw noRoom(what, String.valueOf(e.getMessage()));
        }
    }

    /// Before room is taken: to give it back fails where another rank has taken some behind it.
    private void checkLeft(long bytes, boolean first, String what) {
        try {
            Host.checkMemory(bytes);
            if (first) file.checkRoom(bytes); // what was written before has its room already
        } catch (IOException e) {
            throw noRoom(what, "no room for " + bytes + " bytes of shared memory: " + e.getMessage());
        }
    }

    private static Fault noRoom(String what, String why) {
        return Fault.argument(PredefinedErrorClass.ERR_NO_MEM, what, why, null);
    }

    /// Where the newest ring towards `receiver` begins; 0 while there is none.
    public long newestRing(int receiver) {
        return memory.getLongAcquire(rankBlock(receiver) + RINGS);
    }

    /// Where the ring towards the same rank begins that was the newest before the one at `at`; 0 for none.
    public long ringBefore(long at) {
        return memory.getLong(at + RING_BEFORE);
    }

    /// Tells `receiver` that there is a ring towards it at `at` now.
    public void publishRing(int receiver, long at) {
        long before;
        do {
            before = newestRing(receiver);
            memory.setLong(at + RING_BEFORE, before);
        } while (!memory.compareAndSetLong(rankBlock(receiver) + RINGS, before, at));
        changeRings(receiver);
    }

    /// Has `receiver` look at the heads of the rings towards it.
    public void changeRings(int receiver) {
        memory.addLong(rankBlock(receiver) + RING_COUNT, 1L);
    }

    /// How often the rings towards `receiver` have changed: one was published, or got last answers.
    public long ringCount(int receiver) {
        return memory.getLongAcquire(rankBlock(receiver) + RING_COUNT);
    }

    /// Where the posts of `rank` in the world's slots begin; 0 while nobody has said so.
    public long worldArea(int rank) {
        return memory.getLongAcquire(rankBlock(rank) + WORLD_AREA);
    }

    public void publishWorldArea(int rank, long at) {
        memory.setLongRelease(rankBlock(rank) + WORLD_AREA, at);
    }

    private static long rankBlock(int rank) {
        return RANK_BLOCKS + RANK_BLOCK_BYTES * rank;
    }

    /// The rank starts nothing more; what it sent has been published before.
    public void leave(int rank) {
        if (!hasLeft(rank)) memory.addLong(LEFT_PROCESSES, 1L);
        memory.setIntRelease(rankBlock(rank) + LEFT, 1);
    }

    public boolean hasLeft(int rank) {
        return memory.getIntAcquire(rankBlock(rank) + LEFT) != 0;
    }

    /// The rank is this process, and no launcher tells the others here when it ends.
    public void isUnwatched(int rank) {
        ProcessHandle process = ProcessHandle.current();
        memory.setLong(rankBlock(rank) + BEGAN, began(process));
        memory.setLongRelease(rankBlock(rank) + PID, process.pid());
    }

    /// Whether nobody watches this process.
    public boolean isUnwatchedBy(int rank) {
        return memory.getLong(rankBlock(rank) + PID) != 0;
    }

    /// Who has watched the process has seen it end.
    public void died(int rank) {
        memory.setLongRelease(rankBlock(rank) + PID, DEAD);
    }

    /// Whether it has left, or was one that nobody watches, and has ended.
    public boolean isGone(int rank) {
        return hasLeft(rank) || hasDied(rank);
    }

    /// Whether its process has ended without leaving, as far as that is told here: one that nobody watches, or whose
    /// launcher has said so.
    public boolean hasDied(int rank) {
        long pid = memory.getLongAcquire(rankBlock(rank) + PID);
        if (pid == 0 || hasLeft(rank)) return false;
        if (pid == DEAD) return true;
        long began = memory.getLong(rankBlock(rank) + BEGAN);
        boolean lives = ProcessHandle.of(pid)
                .filter(p -> p.isAlive() && (began == 0 || began(p) == began))
                .isPresent();
        // it may have left, and ended, meanwhile
        return !lives && !hasLeft(rank);
    }

    private static long began(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    long bellOffset(int rank) {
        return rankBlock(rank) + BELL;
    }

    int bell(int rank) {
        return memory.getIntVolatile(rankBlock(rank) + BELL);
    }

    void changeBell(int rank) {
        memory.addInt(rankBlock(rank) + BELL, 1);
    }

    int sleepers(int rank) {
        return memory.getIntVolatile(RANK_BLOCKS + RANK_BLOCK_BYTES * rank + SLEEPERS);
    }

    void addSleepers(int rank, int change) {
        memory.addInt(rankBlock(rank) + SLEEPERS, change);
    }
}
