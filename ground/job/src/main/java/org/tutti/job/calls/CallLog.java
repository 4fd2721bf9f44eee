package org.tutti.job.calls;

import static org.tutti.job.calls.CallRecord.BYTE;
import static org.tutti.job.calls.CallRecord.INT;
import static org.tutti.job.calls.CallRecord.LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.job.os.MappedFile;

/// What a rank writes down of its calls when somebody wants to know where its time goes: each call, as
/// far as there is room, and the sums of each line of the program, of all calls. Its bytes are those of
/// [CallRecord].
///
/// It is a file that the process has mapped, so what is written is there whatever becomes of the process.
/// Its blocks are filled with zeros by writing before they are mapped: a full file system is no crash. Any
/// thread may call.
public final class CallLog {
    /// What all ranks keep together: as much as the launcher can read.
    private static final long MOST_OF_A_JOB = 8_000_000;

    private static final long MOST = 1_000_000, LEAST = 10_000;

    private final MappedFile file;
    private final MemorySegment head;
    private final long most;
    private final @Nullable MemorySegment[] blocks;
    private final Map<String, Integer> texts = new HashMap<>();
    private final Map<Long, Integer> sites = new HashMap<>();
    private long textBytes;
    private long records;
    private int inside;
    private long insideSince;

    private CallLog(MappedFile file, long most) throws IOException {
        this.file = file;
        this.most = most;
        blocks = new MemorySegment[(int) ((most + CallRecord.BLOCK_RECORDS - 1) / CallRecord.BLOCK_RECORDS)];
        head = room(0, CallRecord.RECORDS);
        site(0, 0); // of what finds no room
    }

    /// The log of a rank, which begins now.
    ///
    /// @throws IOException if it cannot be written
    public static CallLog create(Path directory, int rank, int size, String host) throws IOException {
        return create(directory, rank, size, host, Math.clamp(MOST_OF_A_JOB / size, LEAST, MOST));
    }

    /// One that keeps `most` calls.
    static CallLog create(Path directory, int rank, int size, String host, long most) throws IOException {
        MappedFile file = new MappedFile(CallRecord.file(directory, rank).toString());
        file.truncate();
        CallLog log = new CallLog(file, most);
        MemorySegment head = log.head;
        head.set(LONG, CallRecord.SIZE, size);
        head.set(LONG, CallRecord.PID, ProcessHandle.current().pid());
        head.set(LONG, CallRecord.HOST, log.text(host));
        head.set(LONG, CallRecord.MAGIC, CallRecord.THERE);
        log.began();
        return log;
    }

    private MemorySegment room(long offset, long bytes) throws IOException {
        file.clear(offset, bytes);
        return file.map(offset, bytes, Arena.global());
    }

    /// The number of a text; 0 when there is no room for it.
    public synchronized int text(String text) {
        Integer known = texts.get(text);
        if (known != null) return known;
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, CallRecord.LONGEST_TEXT);
        if (textBytes + 2 + length > CallRecord.TEXT_BYTES) return 0;
        long at = CallRecord.TEXTS + textBytes;
        head.set(CallRecord.SHORT, at, (short) length);
        MemorySegment.copy(utf8, 0, head, BYTE, at + 2, length);
        textBytes += 2 + length;
        head.set(LONG, CallRecord.TEXT_USED, textBytes);
        texts.put(text, texts.size() + 1);
        return texts.size();
    }

    /// The number of a line of the program that calls an operation; 0 when there is no room for it.
    public synchronized int site(String operation, String line) {
        return site(text(operation), text(line));
    }

    private int site(int operation, int line) {
        long site = (long) operation << 32 | line;
        Integer known = sites.get(site);
        if (known != null) return known;
        int number = sites.size();
        if (number == CallRecord.MOST_SITES) return 0;
        sites.put(site, number);
        long at = CallRecord.site(number);
        head.set(INT, at + CallRecord.OPERATION, operation);
        head.set(INT, at + CallRecord.LINE, line);
        head.set(LONG, CallRecord.SITES_USED, number + 1L);
        return number;
    }

    /// Notes a call that begins at `nanos`; returns its number, or -1 where there is no room for more.
    /// `thread` and `comm` are texts' numbers.
    public synchronized long begin(long nanos, Kind kind, int flags, int site, int thread, int comm) {
        MemorySegment block = records < most ? block() : null;
        if (block == null) {
            add(CallRecord.LEFT_OUT, 1);
            return -1;
        }
        long number = records++;
        long at = CallRecord.inBlock(number);
        block.set(LONG, at + CallRecord.BEGIN, nanos);
        block.set(INT, at + CallRecord.SITE, site);
        block.set(INT, at + CallRecord.THREAD, thread);
        block.set(INT, at + CallRecord.COMM, comm);
        block.set(BYTE, at + CallRecord.KIND, (byte) kind.ordinal());
        block.set(BYTE, at + CallRecord.FLAGS, (byte) flags);
        block.set(LONG, at + CallRecord.DONE, -1);
        head.set(LONG, CallRecord.RECORDS_USED, records);
        return number;
    }

    private @Nullable MemorySegment block() {
        int which = (int) (records / CallRecord.BLOCK_RECORDS);
        MemorySegment block = blocks[which];
        if (block != null) return block;
        try {
            block = room(CallRecord.RECORDS + which * CallRecord.BLOCK_BYTES, CallRecord.BLOCK_BYTES);
        } catch (IOException e) { // no room: how many calls are left out is counted
            return null;
        }
        blocks[which] = block;
        return block;
    }

    /// Its block; for a record that was begun.
    private MemorySegment of(long number) {
        MemorySegment block = blocks[(int) (number / CallRecord.BLOCK_RECORDS)];
        if (block == null) throw new IllegalArgumentException("there is no record " + number);
        return block;
    }

    /// What a message or a collective call of kind `code` is. For a number of -1, here and below, nothing.
    public void is(long number, int code, int lane, int peer, int tag, long bytes, long call) {
        if (number < 0) return;
        MemorySegment block = of(number);
        long at = CallRecord.inBlock(number);
        block.set(BYTE, at + CallRecord.CODE, (byte) code);
        block.set(BYTE, at + CallRecord.LANE, (byte) lane);
        came(number, peer, tag, bytes);
        block.set(LONG, at + CallRecord.CALL, call);
    }

    /// What a receive has received, or a probe found.
    public void came(long number, int source, int tag, long bytes) {
        if (number < 0) return;
        MemorySegment block = of(number);
        long at = CallRecord.inBlock(number);
        block.set(INT, at + CallRecord.PEER, source);
        block.set(INT, at + CallRecord.TAG, tag);
        block.set(LONG, at + CallRecord.LENGTH, bytes);
    }

    /// The number of a collective call, or what a wait is for.
    public void call(long number, long call) {
        if (number >= 0) of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.CALL, call);
    }

    /// The nanoseconds of its pauses, of what the JVM did.
    public void pauses(long number, long nanos) {
        if (number >= 0) of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.LENGTH, nanos);
    }

    /// The call has ended.
    public void end(long number, long nanos) {
        if (number >= 0) of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.END, nanos);
    }

    /// What it did or started is done, as the call `by` has found.
    public synchronized void done(long number, long by, int flags) {
        if (number < 0) return;
        of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.DONE, by);
        flag(number, flags | CallRecord.COMPLETE);
    }

    /// The call has failed.
    public synchronized void failed(long number) {
        if (number >= 0) flag(number, CallRecord.FAILED);
    }

    private void flag(long number, int flags) {
        MemorySegment block = of(number);
        long at = CallRecord.inBlock(number) + CallRecord.FLAGS;
        block.set(BYTE, at, (byte) (block.get(BYTE, at) | flags));
    }

    /// A thread begins a call.
    public synchronized void enter(long nanos) {
        if (inside++ > 0) return;
        insideSince = nanos;
        head.set(LONG, CallRecord.INSIDE_SINCE, nanos);
    }

    /// A thread ends a call that has taken `nanos` until `now`: one that its site counts as a call, or else
    /// as a wait.
    public synchronized void leave(long now, int site, boolean isWait, long nanos, long bytes) {
        if (--inside == 0) {
            add(CallRecord.INSIDE, now - insideSince);
            head.set(LONG, CallRecord.INSIDE_SINCE, 0);
        }
        long at = CallRecord.site(site);
        add(at + (isWait ? CallRecord.WAITS : CallRecord.CALLS), 1);
        add(at + CallRecord.NANOS, nanos);
        add(at + CallRecord.SITE_BYTES, bytes);
    }

    /// A receive that this site has started has brought so much.
    public synchronized void brought(int site, long bytes) {
        add(CallRecord.site(site) + CallRecord.SITE_BYTES, bytes);
    }

    private void add(long at, long amount) {
        if (amount != 0) head.set(LONG, at, head.get(LONG, at) + amount);
    }

    /// What is to be added to this rank's clock to get rank 0's.
    public void clock(long offsetNanos) {
        head.set(LONG, CallRecord.CLOCK, offsetNanos);
    }

    /// `Mpi.init` is done.
    public void began() {
        head.set(LONG, CallRecord.BEGAN, System.nanoTime());
    }

    /// The rank has left.
    public void close() {
        head.set(LONG, CallRecord.LEFT, System.nanoTime());
    }
}
