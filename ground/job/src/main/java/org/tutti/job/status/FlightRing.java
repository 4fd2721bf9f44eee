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

/// A rank's flight recorder: the last 4,096 operations that its program has called, in the job's shared
/// memory, where the launcher reads them at any time, also when the rank is dead.
///
///     ring        |  text bytes used │ magic …  |  entries, 64 bytes each  |  texts: length int16, UTF-8 …  |
///     an entry    number | time | head | a | b | c | d | thread << 16, state                  int64, native order
///     head        operation, line, communicator: texts' numbers, 16 bits each │ kind << 48 │ type code << 56
///
/// | kind | a | b | c | d |
/// |---|---|---|---|---|
/// | sends | peer << 32, tag | bytes | | its sequence number for communicator, peer and tag; 0 where nobody counted |
/// | receives | peer << 32, tag | room | of one that is done: source << 32, tag | its bytes |
/// | collective calls | what must match: see `CallSignature` | | | number on its communicator |
/// | one rank's accesses to files | offset | bytes | 1 when it writes | |
/// | others | | | | number on its communicator |
///
/// `number` counts from 1 and is stored last, with release; entry n lies at place n mod 4096. A text's
/// number is its place among the texts, from 1; 0 for one that found no room.
public final class FlightRing {
    /// What an entry is of.
    public enum Kind {
        SEND,
        RECV,
        PROBE,
        COLLECTIVE,
        /// A communicator is made, by all ranks of another one.
        MAKE,
        /// A wait for several activities, or for what other threads do.
        WAIT,
        /// One rank's access to a file.
        FILE,
        /// An event: the rank has left.
        MARK;

        private static final Kind[] ALL = values();
    }

    /// How far an operation has come.
    public enum State {
        /// A thread is in it.
        CALLED,
        /// Nonblocking, and begun.
        STARTED,
        DONE,
        FAILED;

        private static final State[] ALL = values();
    }

    /// One entry, as it was read.
    ///
    /// @param line where the user called it; empty when it is not known
    /// @param comm what identifies its communicator on all ranks; 0 for none
    /// @param commName what errors call it
    /// @param nanos a time not long before, System.nanoTime
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

        /// Of a receive that is done, who sent it.
        public int source() {
            return (int) (c >> 32);
        }

        /// Of a receive that is done.
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

    /// How many entries share a look at the clock, which costs more than an entry.
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

    /// One thread writes. It would rather count wrongly once, when another one comes, than pay for a lock
    /// each time.
    private boolean alone = true;

    private long clock = System.nanoTime();

    private FlightRing(SharedMemoryAccess memory) {
        this.memory = memory;
    }

    /// The rank's side. In memory of its own where the job's has no room for it.
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

    /// One that no other process reads.
    public static FlightRing ofThisProcess() {
        return new FlightRing(new SharedMemoryAccess(Arena.ofAuto().allocate(BYTES, Long.BYTES)));
    }

    /// The side of another thread of this process, which reads only.
    FlightRing reader() {
        memory.setLongRelease(MAGIC, THERE);
        return new FlightRing(memory);
    }

    static FlightRing absent() {
        return Absent.RING;
    }

    /// Another process's side: to be read only. An empty one while the rank has none there.
    public static FlightRing reader(JobFile file, int rank) throws IOException {
        return file.word(offset(rank) + MAGIC) == THERE ? new FlightRing(map(file, rank)) : Absent.RING;
    }

    /// Whether the rank has one.
    public boolean isThere() {
        return this != Absent.RING;
    }

    /// In place of all that are not there.
    private static final class Absent {
        static final FlightRing RING = ofThisProcess();
    }

    private static long offset(int rank) {
        return JobFile.BYTES + (long) rank * BYTES;
    }

    private static SharedMemoryAccess map(JobFile file, int rank) throws IOException {
        return new SharedMemoryAccess(file.map(offset(rank), BYTES, Arena.global()));
    }

    /// Notes an operation that begins; returns its number. `head` is of [#head].
    public long begin(long head, State state, long thread, long a, long b, long c, long d) {
        long number = alone ? ++last : (long) LAST.getAndAdd(this, 1L) + 1;
        int at = place(number);
        if ((number & CLOCK_MASK) == 0) tick();
        memory.setLong(at + NUMBER, 0L);
        VarHandle.storeStoreFence();
        memory.setLongs(at + TIME, clock, head, a, b, c, d, thread << STATE_BITS | state.ordinal());
        memory.setLongRelease(at + NUMBER, number);
        return number;
    }

    /// Several threads write from now on.
    public void shared() {
        alone = false;
    }

    /// The operation has come so far; nothing if it was overwritten meanwhile.
    ///
    /// @param thread in which it began
    public void now(long number, long thread, State state) {
        if (last - number >= ENTRIES) return;
        memory.setLong(place(number) + STATE, thread << STATE_BITS | state.ordinal());
    }

    /// The receive is done.
    public void received(long number, long thread, int source, int tag, long bytes) {
        if (last - number >= ENTRIES) return;
        long from = (long) source << 32 | tag & 0xffffffffL;
        memory.setLongs(place(number) + C, from, bytes, thread << STATE_BITS | State.DONE.ordinal());
    }

    /// The thread in which the operation began, which was not overwritten meanwhile.
    public long thread(long number) {
        return memory.getLong(place(number) + STATE) >>> STATE_BITS;
    }

    /// Entries from now on have the time that it is now.
    public void tick() {
        clock = System.nanoTime();
    }

    /// The number of the last entry.
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

    /// The number of a text, which is noted if it is new; 0 when there is no room for it.
    public synchronized int text(String text) {
        Integer known = texts.get(text);
        if (known != null) return known;
        byte[] utf8 = (text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text)
                .getBytes(StandardCharsets.UTF_8);
        long used = memory.getLong(0);
        if (used + 2 + utf8.length > TEXT_BYTES || texts.size() == MOST_TEXTS) return 0;
        memory.segment().set(JAVA_SHORT_UNALIGNED, TEXTS + used, (short) utf8.length);
        // the copy from an array has the JVM make a class
        memory.put(MemorySegment.ofArray(utf8), 0, TEXTS + used + 2, utf8.length);
        memory.setLongRelease(0, used + 2 + utf8.length);
        texts.put(text, texts.size() + 1);
        return texts.size();
    }

    /// The text with this number, of another process too; empty where there is none.
    public String textOf(int number) {
        return word(words(), number);
    }

    /// What stands for a communicator: what identifies it on all ranks, and its name.
    public int comm(long id, String name) {
        return text(Long.toHexString(id) + " " + name);
    }

    private static int place(long number) {
        return HEADER_BYTES + (int) (number & ENTRIES - 1) * ENTRY_BYTES;
    }

    /// How many collective calls on a communicator the rank has begun, as far as that can be told; -1
    /// where it cannot.
    public long calls(long comm) {
        if (memory.getLongAcquire(MAGIC) != THERE) return -1;
        String begin = Long.toHexString(comm) + " ";
        List<String> words = words();
        BitSet names = new BitSet();
        for (int i = 0; i < words.size(); i++) if (words.get(i).startsWith(begin)) names.set(i + 1);
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

    /// The k-th send on a communicator to `peer` with `tag`; null if it is not there, or no longer.
    public @Nullable Entry send(long comm, int peer, int tag, long k) {
        long where = (long) peer << 32 | tag & 0xffffffffL;
        for (int i = 0; i < ENTRIES; i++) {
            int at = place(i);
            long number = memory.getLongAcquire(at + NUMBER);
            if (number == 0 && i > 0) break; // it has not come round yet
            boolean counts = memory.getLong(at + A) == where && memory.getLong(at + D) == k;
            if (!counts || number == 0) continue;
            Entry entry = entry(number, at, words());
            if (entry.kind == Kind.SEND && entry.comm == comm) return entry;
        }
        return null;
    }

    private boolean isEmpty() {
        for (int i = 0; i < ENTRIES; i++) if (memory.getLong(place(i) + NUMBER) != 0) return false;
        return true;
    }

    /// What there is, the oldest first. Entries that are just being written are left out.
    public List<Entry> read() {
        List<String> words = words();
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            long number = memory.getLongAcquire(place(i) + NUMBER);
            if ((number & ENTRIES - 1) == i) add(number, words, entries);
        }
        entries.sort(Comparator.comparingLong(Entry::number));
        return entries;
    }

    /// The rank's side: at most so many of the last, as [#read] has them.
    List<Entry> newest(int most) {
        List<String> words = words();
        List<Entry> entries = new ArrayList<>();
        long last = last();
        for (long number = Math.max(1, last - most + 1); number <= last; number++) add(number, words, entries);
        return entries;
    }

    /// Unless it is overwritten.
    private void add(long number, List<String> words, List<Entry> entries) {
        int at = place(number);
        if (number == 0 || memory.getLongAcquire(at + NUMBER) != number) return;
        Entry entry = entry(number, at, words);
        VarHandle.loadLoadFence();
        if (memory.getLong(at + NUMBER) == number) entries.add(entry);
    }

    private Entry entry(long number, int at, List<String> words) {
        long head = memory.getLong(at + HEAD);
        long state = memory.getLong(at + STATE);
        String comm = word(words, head >> COMM_SHIFT);
        int blank = comm.indexOf(' ');
        return new Entry(
                number,
                Kind.ALL[(int) (head >> KIND_SHIFT & 0xff) % Kind.ALL.length],
                State.ALL[(int) (state & 0xffff) % State.ALL.length],
                state >>> STATE_BITS,
                memory.getLong(at + TIME),
                word(words, head),
                word(words, head >> LINE_SHIFT),
                blank < 0 ? 0 : Long.parseUnsignedLong(comm, 0, blank, 16),
                comm.substring(blank + 1),
                (int) (head >>> TYPE_SHIFT),
                memory.getLong(at + A),
                memory.getLong(at + B),
                memory.getLong(at + C),
                memory.getLong(at + D));
    }

    private static String word(List<String> words, long number) {
        int i = (int) (number & 0xffff);
        return i == 0 || i > words.size() ? "" : words.get(i - 1);
    }

    private List<String> words() {
        long used = Math.clamp(memory.getLongAcquire(0), 0, TEXT_BYTES);
        List<String> words = new ArrayList<>();
        for (int at = TEXTS; at + 2 <= TEXTS + used; ) {
            byte[] utf8 = new byte[memory.segment().get(JAVA_SHORT_UNALIGNED, at) & 0xffff];
            if (at + 2 + utf8.length > TEXTS + used) break;
            MemorySegment.copy(memory.segment(), JAVA_BYTE, at + 2, utf8, 0, utf8.length);
            words.add(new String(utf8, StandardCharsets.UTF_8));
            at += 2 + utf8.length;
        }
        return words;
    }
}
