package org.tutti.job.status;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.SharedMemoryAccess;

/// A rank's flight recorder: the last 4,096 operations that the program has called on this rank, in the job's
/// shared memory, where the launcher can read the operations at any time, even after the rank has terminated.
///
///     ring        |  text bytes used │ magic …  |  entries, 64 bytes each  |  texts: length int16, UTF-8 …  |
///     an entry    number | time | head | a | b | c | d | thread << 16, state                  int64, native order
///     head        operation, line, communicator: texts' numbers, 16 bits each │ kind << 48 │ type code << 56
///
/// | kind | a | b | c | d |
/// |---|---|---|---|---|
/// | sends | peer << 32, tag | bytes | | sequence number for communicator, peer and tag; 0 if not counted |
/// | receives | peer << 32, tag | capacity | if complete: source << 32, tag | bytes received |
/// | collective calls | the matched values: see `CallSignature` | | | number on the communicator |
/// | one rank's accesses to files | offset | bytes | 1 for a write | |
/// | other kinds | | | | number on the communicator |
///
/// `number` counts from 1 and is stored last, with release; entry n is at index n mod 4096. A text's number is
/// the index in the texts, from 1; 0 for a text that did not fit.
public final class FlightRing {
    /// The subject of an entry.
    public enum Kind {
        SEND,
        RECV,
        PROBE,
        COLLECTIVE,
        /// The creation of a communicator by all ranks of an existing communicator.
        MAKE,
        /// A wait for several activities, or for other threads.
        WAIT,
        /// One rank's access to a file.
        FILE,
        /// An event: the rank has left.
        MARK;

        private static final Kind[] ALL = values();
    }

    /// The progress of an operation.
    public enum State {
        /// A thread is in the call.
        CALLED,
        /// The operation is nonblocking, and has been started but is not complete.
        STARTED,
        DONE,
        FAILED;

        private static final State[] ALL = values();
    }

    /// A decoded entry.
    ///
    /// @param line the source line at which the user has called the operation; empty if it is unknown
    /// @param comm identifies the communicator on all ranks; 0 if there is no communicator
    /// @param commName the name of the communicator in error messages
    /// @param nanos a time shortly before the operation, according to System.nanoTime
    public record Entry(
            long number,
            Kind kind,
            State state,
            long thread,
            long nanos,
            String operation,
            String line,
            long comm,
            String commName,
            int type,
            long a,
            long b,
            long c,
            long d) {
        public int peer() {
            return (int) (a >> 32);
        }

        public int tag() {
            return (int) a;
        }

        /// Returns the source of a completed receive.
        public int source() {
            return (int) (c >> 32);
        }

        /// Returns the tag of a completed receive.
        public int receivedTag() {
            return (int) c;
        }
    }

    public static final int ENTRIES = 4096;

    private static final int HEADER_BYTES = 64, ENTRY_BYTES = 64, TEXT_BYTES = 1 << 16;
    private static final int BYTES = HEADER_BYTES + ENTRIES * ENTRY_BYTES + TEXT_BYTES;
    private static final int NUMBER = 0, TIME = 8, HEAD = 16, A = 24, B = 32, C = 40, D = 48, STATE = 56;
    private static final int TEXTS = HEADER_BYTES + ENTRIES * ENTRY_BYTES;
    private static final int MAGIC = 8;
    private static final long THERE = 0x464c49474854L; // "FLIGHT"
    private static final int STATE_BITS = 16;
    private static final int LINE_SHIFT = 16, COMM_SHIFT = 32, KIND_SHIFT = 48, TYPE_SHIFT = 56;
    private static final int LONGEST_TEXT = 250;
    private static final int MOST_TEXTS = 0xffff;

    /// A mask of the entry number: the clock is read once for 32 entries, because reading the clock costs more
    /// than writing an entry.
    private static final int CLOCK_MASK = 0x1f;

    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(FlightRing.class, "last", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SharedMemoryAccess memory;
    private final Map<String, Integer> texts = new HashMap<>();

    private long last;

    /// Whether only one thread writes. When a second thread starts to write, one entry may get a wrong number;
    /// this is accepted to avoid the cost of a lock for each entry.
    private boolean isSingleThreaded = true;

    private long clock = System.nanoTime();

    private FlightRing(SharedMemoryAccess memory) {
        this.memory = memory;
    }

    /// Returns the rank's recorder. The recorder is in private memory if the job's memory has no space for it.
    public static FlightRing of(JobFile file, int rank) {
        try {
            file.commit(offset(rank), BYTES);
            FlightRing ring = new FlightRing(map(file, rank));
            ring.memory.setLongRelease(MAGIC, THERE);
            return ring;
        } catch (IOException | UncheckedIOException e) {
            return ofThisProcess();
        }
    }

    /// Returns a recorder that no other process reads.
    public static FlightRing ofThisProcess() {
        return new FlightRing(new SharedMemoryAccess(Arena.ofAuto().allocate(BYTES, Long.BYTES)));
    }

    /// Returns a read-only recorder for a different thread of this process.
    FlightRing reader() {
        memory.setLongRelease(MAGIC, THERE);
        return new FlightRing(memory);
    }

    static FlightRing absent() {
        return Absent.RING;
    }

    /// Returns a read-only recorder for a different process. The result is empty while the rank has no
    /// recorder.
    public static FlightRing reader(JobFile file, int rank) throws IOException {
        return file.word(offset(rank) + MAGIC) == THERE ? new FlightRing(map(file, rank)) : Absent.RING;
    }

    /// Returns whether the rank has a recorder.
    public boolean isThere() {
        return this != Absent.RING;
    }

    /// An empty recorder, which is used in place of all recorders that do not exist.
    private static final class Absent {
        static final FlightRing RING = ofThisProcess();
    }

    private static long offset(int rank) {
        return JobFile.BYTES + (long) rank * BYTES;
    }

    private static SharedMemoryAccess map(JobFile file, int rank) throws IOException {
        return new SharedMemoryAccess(file.map(offset(rank), BYTES, Arena.global()));
    }

    /// Records an operation that begins. Returns the number of the entry. `head` is a result of [#head].
    public long begin(long head, State state, long thread, long a, long b, long c, long d) {
        long number = isSingleThreaded ? ++last : (long) LAST.getAndAdd(this, 1L) + 1;
        int at = place(number);
        if ((number & CLOCK_MASK) == 0) tick();
        memory.setLong(at + NUMBER, 0L);
        VarHandle.storeStoreFence();
        memory.setLongs(at + TIME, clock, head, a, b, c, d, thread << STATE_BITS | state.ordinal());
        memory.setLongRelease(at + NUMBER, number);
        return number;
    }

    /// Called when, from now on, several threads may write.
    public void shared() {
        isSingleThreaded = false;
    }

    /// Sets the state of an operation. Has no effect if its entry has been overwritten in the meantime.
    ///
    /// @param thread the thread in which the operation began
    public void now(long number, long thread, State state) {
        if (last - number >= ENTRIES) return;
        memory.setLong(place(number) + STATE, thread << STATE_BITS | state.ordinal());
    }

    /// Records the completion of a receive.
    public void received(long number, long thread, int source, int tag, long bytes) {
        if (last - number >= ENTRIES) return;
        long from = (long) source << 32 | tag & 0xffffffffL;
        memory.setLongs(place(number) + C, from, bytes, thread << STATE_BITS | State.DONE.ordinal());
    }

    /// Returns the thread in which the operation began. The entry must not have been overwritten.
    public long thread(long number) {
        return memory.getLong(place(number) + STATE) >>> STATE_BITS;
    }

    /// Sets the time of subsequent entries to the current time.
    public void tick() {
        clock = System.nanoTime();
    }

    /// Returns the number of the last entry.
    public long last() {
        return (long) LAST.getOpaque(this);
    }

    public static long head(int operation, int line, int comm, Kind kind, int type) {
        return operation
                | (long) line << LINE_SHIFT
                | (long) comm << COMM_SHIFT
                | (long) kind.ordinal() << KIND_SHIFT
                | (long) type << TYPE_SHIFT;
    }

    /// Returns the number of a text, and adds a new text; 0 if the space for texts is full.
    public synchronized int text(String text) {
        Integer known = texts.get(text);
        if (known != null) return known;
        byte[] utf8 = (text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text)
                .getBytes(StandardCharsets.UTF_8);
        long used = memory.getLong(0);
        if (used + 2 + utf8.length > TEXT_BYTES || texts.size() == MOST_TEXTS) return 0;
        memory.segment().set(JAVA_SHORT_UNALIGNED, TEXTS + used, (short) utf8.length);
        // MemorySegment.copy with an array as argument would cause the JVM to generate a class
        memory.put(MemorySegment.ofArray(utf8), 0, TEXTS + used + 2, utf8.length);
        memory.setLongRelease(0, used + 2 + utf8.length);
        texts.put(text, texts.size() + 1);
        return texts.size();
    }

    /// Returns the text with this number, even if a different process has added it; empty if the number is
    /// unknown.
    public String textOf(int number) {
        return word(texts(), number);
    }

    /// Returns the number for a communicator: the identifier on all ranks, and the name.
    public int comm(long id, String name) {
        return text(Long.toHexString(id) + " " + name);
    }

    private static int place(long number) {
        return HEADER_BYTES + (int) (number & ENTRIES - 1) * ENTRY_BYTES;
    }

    /// Returns the number of collective calls on a communicator that the rank has started; -1 if the number
    /// cannot be determined.
    public long calls(long comm) {
        if (memory.getLongAcquire(MAGIC) != THERE) return -1;
        String begin = Long.toHexString(comm) + " ";
        List<String> texts = texts();
        BitSet names = new BitSet();
        for (int i = 0; i < texts.size(); i++) if (texts.get(i).startsWith(begin)) names.set(i + 1);
        long most = 0;
        boolean isWhole = false;
        for (int i = 0; i < ENTRIES; i++) {
            int at = place(i);
            long number = memory.getLongAcquire(at + NUMBER);
            long head = memory.getLong(at + HEAD);
            long call = memory.getLong(at + D);
            VarHandle.loadLoadFence();
            if (number == 0 || memory.getLong(at + NUMBER) != number) continue;
            isWhole |= number == 1;
            Kind kind = Kind.ALL[(int) (head >> KIND_SHIFT & 0xff) % Kind.ALL.length];
            boolean counts = kind == Kind.COLLECTIVE || kind == Kind.MAKE;
            if (counts && names.get((int) (head >> COMM_SHIFT & 0xffff))) most = Math.max(most, call);
        }
        return most > 0 || isWhole || isEmpty() ? most : -1;
    }

    /// Returns the k-th send on a communicator to `peer` with `tag`; null if it does not exist or has been
    /// overwritten.
    public @Nullable Entry send(long comm, int peer, int tag, long k) {
        long where = (long) peer << 32 | tag & 0xffffffffL;
        for (int i = 0; i < ENTRIES; i++) {
            int at = place(i);
            long number = memory.getLongAcquire(at + NUMBER);
            if (number == 0 && i > 0) break; // the ring has not wrapped around
            boolean counts = memory.getLong(at + A) == where && memory.getLong(at + D) == k;
            if (!counts || number == 0) continue;
            Entry entry = entry(number, at, texts());
            if (entry.kind == Kind.SEND && entry.comm == comm) return entry;
        }
        return null;
    }

    private boolean isEmpty() {
        for (int i = 0; i < ENTRIES; i++) if (memory.getLong(place(i) + NUMBER) != 0) return false;
        return true;
    }

    /// Returns all entries, the oldest first, without entries that are currently being written.
    public List<Entry> read() {
        List<String> texts = texts();
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            long number = memory.getLongAcquire(place(i) + NUMBER);
            if ((number & ENTRIES - 1) == i) add(number, texts, entries);
        }
        entries.sort(Comparator.comparingLong(Entry::number));
        return entries;
    }

    /// Returns the last `most` entries, as [#read] does. Called only on the rank itself.
    List<Entry> newest(int most) {
        List<String> texts = texts();
        List<Entry> entries = new ArrayList<>();
        long last = last();
        for (long number = Math.max(1, last - most + 1); number <= last; number++) add(number, texts, entries);
        return entries;
    }

    /// Adds the entry to `entries`, unless the entry is being overwritten.
    private void add(long number, List<String> texts, List<Entry> entries) {
        int at = place(number);
        if (number == 0 || memory.getLongAcquire(at + NUMBER) != number) return;
        Entry entry = entry(number, at, texts);
        VarHandle.loadLoadFence();
        if (memory.getLong(at + NUMBER) == number) entries.add(entry);
    }

    private Entry entry(long number, int at, List<String> texts) {
        long head = memory.getLong(at + HEAD);
        long state = memory.getLong(at + STATE);
        String comm = word(texts, head >> COMM_SHIFT);
        int blank = comm.indexOf(' ');
        return new Entry(
                number,
                Kind.ALL[(int) (head >> KIND_SHIFT & 0xff) % Kind.ALL.length],
                State.ALL[(int) (state & 0xffff) % State.ALL.length],
                state >>> STATE_BITS,
                memory.getLong(at + TIME),
                word(texts, head),
                word(texts, head >> LINE_SHIFT),
                blank < 0 ? 0 : Long.parseUnsignedLong(comm, 0, blank, 16),
                comm.substring(blank + 1),
                (int) (head >>> TYPE_SHIFT),
                memory.getLong(at + A),
                memory.getLong(at + B),
                memory.getLong(at + C),
                memory.getLong(at + D));
    }

    private static String word(List<String> texts, long number) {
        int i = (int) (number & 0xffff);
        return i == 0 || i > texts.size() ? "" : texts.get(i - 1);
    }

    private List<String> texts() {
        long used = Math.clamp(memory.getLongAcquire(0), 0, TEXT_BYTES);
        List<String> texts = new ArrayList<>();
        for (int at = TEXTS; at + 2 <= TEXTS + used; ) {
            byte[] utf8 = new byte[memory.segment().get(JAVA_SHORT_UNALIGNED, at) & 0xffff];
            if (at + 2 + utf8.length > TEXTS + used) break;
            MemorySegment.copy(memory.segment(), JAVA_BYTE, at + 2, utf8, 0, utf8.length);
            texts.add(new String(utf8, StandardCharsets.UTF_8));
            at += 2 + utf8.length;
        }
        return texts;
    }
}
