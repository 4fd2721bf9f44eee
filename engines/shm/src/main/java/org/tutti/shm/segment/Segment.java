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
///     head         0 free, int64: bytes allocated after the rank blocks; compare-and-set
///                  8 processes, int64: process numbers assigned; 0 until a world is spawned
///                  16 left, int64: processes that have left
///                  24 notes, int64: offset of the newest entry of SharedNotes; 0 if none
///                  32 polling, int32: 1 once a process has joined that cannot wake other processes
///     rank block   0 bell, int32: changes to wake the rank              4 sleepers, int32
///                  8 left, int32: 1 once the rank has left the job
///                  16 pid, int64: of a process that no launcher of this job watches; 0 for any other process;
///                  -1 once the process is known to have terminated
///                  24 began, int64: start time of that process in milliseconds; 0 if unknown
///                  64 ring count, int64: changes of the rings towards this rank
///                  72 world area, int64: offset of the rank's posts in the world's slots; 0 if not published
///                  80 rings, int64: offset of the newest ring towards this rank, from the area's start; 0 if
///                  none. Each ring names the previous one; compare-and-set once the ring is usable
///
/// Each process, including terminated ones, has a number and a rank block: 0 … n - 1 in the launcher's world,
/// then the processes of spawned worlds. In this class, `rank` always means this number. `n` in the drawing is
/// the capacity; only used blocks have memory.
///
/// Each ring is a separate extent, so that 128 ranks with few connections need little memory.
public final class Segment {
    private static final long FREE = 0,
            PROCESSES = 8,
            LEFT_PROCESSES = 16,
            NOTES = 24,
            POLLING = 32,
            RANK_BLOCKS = 64,
            RANK_BLOCK_BYTES = 128;
    /// The value that replaces the pid of a process that has terminated.
    private static final long DEAD = -1;

    private static final long BELL = 0, SLEEPERS = 4, LEFT = 8, PID = 16, BEGAN = 24;
    private static final long RING_COUNT = 64, WORLD_AREA = 72, RINGS = 80;

    /// The offset, in a ring's head, of the field that contains the previous ring's position, an int64.
    private static final long RING_BEFORE = 88;

    /// The maximum number of processes. Unused rank blocks need no memory, only address space: 128 MiB for all
    /// blocks.
    private static final int MOST_PROCESSES = 1 << 20;

    /// Rings between processes of several jobs have the same size as the rings in a job of this number of
    /// ranks.
    private static final int GROUPS = 2;

    private static final long PAGE = 4096;
    private static final long RING_BUDGET = 32L << 20;

    /// The maximum number of unreceived bytes to one rank: from all senders together; and the upper and the
    /// lower bound of the limit for a single sender.
    private static final long MOST_UNRECEIVED = 64L << 20, MOST_OF_ONE = 4L << 20, LEAST_OF_ONE = 256 << 10;
    private static final int POSTS = 32;
    private static final int SMALLEST_RING = 2 << 10, LARGEST_RING = 512 << 10;

    /// Provides memory for an extent before the first access.
    @FunctionalInterface
    public interface Commit {
        /// @throws UncheckedIOException if memory is insufficient
        void commit(long at, long bytes);

        /// Called before an extent is allocated for the first time.
        ///
        /// @throws IOException if memory is known to be insufficient
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

    /// Creates the view of an area. The head and the rank blocks in use are committed and were zeroed at the
    /// start of the job.
    ///
    /// @param capacity the maximum number of processes
    /// @param ringBytes the size of each ring's data area in bytes, a power of two
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

    /// Maps the area that starts at `base` of `file`, for the lifetime of `arena`. The memory of this process's
    /// block was committed by the creator of the file or by the spawning process.
    ///
    /// @param size the number of processes, including processes that are about to start
    public static Segment attach(JobFile file, long base, int size, Arena arena) {
        return attach(file, base, size, MOST_PROCESSES, base + " " + file.path(), arena);
    }

    /// Maps the segment of a process that invited this world.
    ///
    /// @param address the result of [#address] in that process
    /// @param size the current number of processes
    public static Segment attach(String address, int size, Arena arena) throws IOException {
        int blank = address.indexOf(' ');
        JobFile file = JobFile.attach(address.substring(blank + 1));
        return attach(file, Long.parseLong(address.substring(0, blank)), size, arena);
    }

    /// Creates the segment of a process that was started without a launcher, in a new file.
    public static Segment ofOneProcess(OsPlatform platform, Arena arena) {
        try {
            JobFile file = platform.createFile("tutti", JobFile.BYTES);
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

    /// Creates a segment for ranks in threads of this process, in a new file, which is hidden from other
    /// processes.
    public static Segment ofThisProcess(OsPlatform platform, int size, Arena arena) {
        try {
            JobFile file = platform.createFile("tutti", JobFile.BYTES);
            file.commit(JobStatus.bytes(size), JobStatus.engineTables(size));
            Segment made = attach(file, JobStatus.bytes(size), size, size, null, arena);
            file.hide();
            return made;
        } catch (IOException e) {
            throw noMemory(e);
        }
    }

    /// Creates a segment for processes of several jobs, which join later, in a new file.
    ///
    /// @param label see [OsPlatform#createFile]
    /// @param made receives the file; after the file has been hidden, no further process can attach
    public static Segment ofSeveralJobs(OsPlatform platform, String label, Consumer<JobFile> made, Arena arena) {
        try {
            JobFile file = platform.createFile(label, JobFile.BYTES);
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

    /// Returns the address at which other processes of this user can attach while the creating process lives;
    /// null if other processes cannot attach.
    public @Nullable String address() {
        return address;
    }

    public Shared memory() {
        return memory;
    }

    /// Returns the maximum number of processes.
    public int capacity() {
        return capacity;
    }

    /// Assigns numbers to `count` new processes and commits memory for the rank blocks. Returns the first
    /// number.
    ///
    /// @param known a lower bound of the number of processes that already have numbers
    /// @throws Fault `ERR_SPAWN` if too few numbers are left, `ERR_NO_MEM` if memory is insufficient
    public int newProcesses(int count, int known, String operation) {
        long before, first;
        do {
            before = memory.getLongAcquire(PROCESSES);
            first = Math.max(before, known);
            if (first + count > capacity) {
                throw Fault.argument(
                        PredefinedErrorClass.ERR_SPAWN,
                        operation,
                        "a job has at most " + capacity + " processes, including terminated ones;"
                                + " this job has already had " + first,
                        null);
            }
        } while (!memory.compareAndSetLong(PROCESSES, before, first + count));
        try {
            file.commit(rankBlock((int) first), RANK_BLOCK_BYTES * count);
        } catch (UncheckedIOException e) {
            throw noRoom(operation, String.valueOf(e.getMessage()));
        }
        return (int) first;
    }

    /// Returns the size of a new ring's data area in bytes. It decreases as the number of processes grows.
    public int ringBytes() {
        return hasSpawned() ? Math.min(ringBytes, ringBytes(livingProcesses())) : ringBytes;
    }

    /// Returns the number of processes that have numbers so far, or `known` if it is greater.
    public int processes(int known) {
        return (int) Math.max(known, memory.getLongAcquire(PROCESSES));
    }

    /// Returns the offset of the newest note; 0 if none.
    long newestNote() {
        return memory.getLongAcquire(NOTES);
    }

    /// Publishes the note at `at`. Returns false if `before` is no longer the newest note.
    boolean publishNote(long before, long at) {
        return memory.compareAndSetLong(NOTES, before, at);
    }

    /// Returns whether processes were spawned.
    public boolean hasSpawned() {
        return memory.getLongAcquire(PROCESSES) != 0;
    }

    private int livingProcesses() {
        return (int) (memory.getLongAcquire(PROCESSES) - memory.getLongAcquire(LEFT_PROCESSES));
    }

    /// Returns the number of slots per communicator and rank, a power of two and at least 4. A root can be
    /// ahead of other ranks by this number of collective calls.
    public int posts() {
        return posts;
    }

    /// Returns the size of a ring's data area for `size` ranks, such that all rings of up to 128 ranks together
    /// have at most 32 MiB.
    private static int ringBytes(int size) {
        long each = RING_BUDGET / Math.max(1, (long) size * size);
        return Math.clamp(Long.highestOneBit(each), SMALLEST_RING, LARGEST_RING);
    }

    /// Returns the maximum size of unreceived messages from one sender to one rank, in bytes including record
    /// headers. Above this size, the sender retains the data of further messages.
    public long mostUnreceived() {
        return mostUnreceived;
    }

    private static long mostUnreceived(int size) {
        return Math.clamp(MOST_UNRECEIVED / Math.max(1, size - 1), LEAST_OF_ONE, MOST_OF_ONE);
    }

    /// Allocates a new extent of `bytes` bytes, aligned to 64 bytes, or to 4096 bytes if the size is at least a
    /// page.
    ///
    /// @throws Fault `ERR_NO_MEM` if the file system or the segment has too little memory
    public long extent(long bytes, String operation) {
        long align = alignment(bytes);
        long taken, start;
        do {
            taken = memory.getLongAcquire(FREE);
            start = aligned(extents + taken, align);
            if (bytes > memory.segment().byteSize() - start) {
                String where = "the job's shared memory of " + memory.segment().byteSize() + " bytes ("
                        + (extents + taken) + " are in use)";
                throw noRoom(operation, bytes + " bytes do not fit into " + where);
            }
            checkLeft(bytes, true, operation);
        } while (!memory.compareAndSetLong(FREE, taken, start + bytes - extents));
        try {
            file.commit(start, bytes);
        } catch (UncheckedIOException e) {
            // written pages stay allocated by the system; the next extent may reuse the pages
            memory.compareAndSetLong(FREE, start + bytes - extents, taken);
            throw noRoom(operation, String.valueOf(e.getMessage()));
        }
        return start;
    }

    /// Returns the alignment of an extent of `bytes` bytes.
    static long alignment(long bytes) {
        return bytes >= PAGE ? PAGE : 64;
    }

    static long aligned(long at, long align) {
        return at + align - 1 & -align;
    }

    /// Fills a reused extent with zeros. The system may not have enough memory for the pages.
    ///
    /// @throws Fault `ERR_NO_MEM` if memory is insufficient
    void renew(long at, long bytes, String operation) {
        checkLeft(bytes, false, operation);
        try {
            file.commit(at, bytes);
        } catch (UncheckedIOException e) {
            throw noRoom(operation, String.valueOf(e.getMessage()));
        }
    }

    /// Checks whether memory is sufficient. This happens before the allocation, because an extent cannot be
    /// returned once another rank has allocated the next extent.
    private void checkLeft(long bytes, boolean first, String operation) {
        try {
            Host.checkMemory(bytes);
            if (first) file.checkRoom(bytes); // a reused extent already has blocks in the file
        } catch (IOException e) {
            throw noRoom(operation, "no room for " + bytes + " bytes of shared memory: " + e.getMessage());
        }
    }

    private static Fault noRoom(String operation, String why) {
        return Fault.argument(PredefinedErrorClass.ERR_NO_MEM, operation, why, null);
    }

    /// Returns the offset of the newest ring towards `receiver`; 0 if none.
    public long newestRing(int receiver) {
        return memory.getLongAcquire(rankBlock(receiver) + RINGS);
    }

    /// Returns the offset of the ring towards the same rank that precedes the ring at `at`; 0 if none.
    public long ringBefore(long at) {
        return memory.getLong(at + RING_BEFORE);
    }

    /// Publishes the ring at `at` to `receiver`.
    public void publishRing(int receiver, long at) {
        long before;
        do {
            before = newestRing(receiver);
            memory.setLong(at + RING_BEFORE, before);
        } while (!memory.compareAndSetLong(rankBlock(receiver) + RINGS, before, at));
        changeRings(receiver);
    }

    /// Causes `receiver` to check the heads of the rings towards it.
    public void changeRings(int receiver) {
        memory.addLong(rankBlock(receiver) + RING_COUNT, 1L);
    }

    /// Returns the number of changes of the rings towards `receiver`: a change is a newly published ring, or
    /// last answers in a ring.
    public long ringCount(int receiver) {
        return memory.getLongAcquire(rankBlock(receiver) + RING_COUNT);
    }

    /// Returns the offset of the slots of rank `rank` for the world's communicator; 0 if not published.
    public long worldArea(int rank) {
        return memory.getLongAcquire(rankBlock(rank) + WORLD_AREA);
    }

    public void publishWorldArea(int rank, long at) {
        memory.setLongRelease(rankBlock(rank) + WORLD_AREA, at);
    }

    private static long rankBlock(int rank) {
        return RANK_BLOCKS + RANK_BLOCK_BYTES * rank;
    }

    /// Records that the rank has left. The rank starts no further operation, and has published all messages
    /// that it has sent.
    public void leave(int rank) {
        if (!hasLeft(rank)) memory.addLong(LEFT_PROCESSES, 1L);
        memory.setIntRelease(rankBlock(rank) + LEFT, 1);
    }

    public boolean hasLeft(int rank) {
        return memory.getIntAcquire(rankBlock(rank) + LEFT) != 0;
    }

    /// Marks the rank, which is this process, as unwatched: no launcher of this job will report that the
    /// process has terminated. Other ranks then check the process id, which this method stores.
    public void markUnwatched(int rank) {
        ProcessHandle process = ProcessHandle.current();
        memory.setLong(rankBlock(rank) + BEGAN, began(process));
        memory.setLongRelease(rankBlock(rank) + PID, process.pid());
    }

    /// Returns whether no launcher watches the process.
    public boolean isUnwatched(int rank) {
        return memory.getLong(rankBlock(rank) + PID) != 0;
    }

    /// Marks the process as terminated. Called by a process that has observed the termination.
    public void markDead(int rank) {
        memory.setLongRelease(rankBlock(rank) + PID, DEAD);
    }

    /// Returns whether the process has left, or is known to have terminated (see [#hasDied]).
    public boolean hasLeftOrDied(int rank) {
        return hasLeft(rank) || hasDied(rank);
    }

    /// Returns whether the process is known to have terminated without leaving. A termination is known if it
    /// was reported with [#markDead]. For an unwatched process, this method checks the stored process id.
    public boolean hasDied(int rank) {
        long pid = memory.getLongAcquire(rankBlock(rank) + PID);
        if (pid == 0 || hasLeft(rank)) return false;
        if (pid == DEAD) return true;
        long began = memory.getLong(rankBlock(rank) + BEGAN);
        boolean lives = ProcessHandle.of(pid)
                .filter(p -> p.isAlive() && (began == 0 || began(p) == began))
                .isPresent();
        // the process may have left and terminated in the meantime
        return !lives && !hasLeft(rank);
    }

    private static long began(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /// Requires all processes to poll instead of sleeping, because this process cannot wake other processes.
    void requirePolling() {
        memory.setIntRelease(POLLING, 1);
    }

    boolean isPollingRequired() {
        return memory.getIntAcquire(POLLING) != 0;
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
