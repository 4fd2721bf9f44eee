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

/// Records the calls of a rank for profiles and traces: each call, up to a maximum number, and, for each source
/// line of the program, the sums over all calls. The format is described in [CallRecord].
///
/// The log is a mapped file, so the contents remain, however the process ends. Before a block is mapped, it is
/// filled with zeros by a write, so that a full file system does not crash the process. Thread-safe.
public final class CallLog {
    /// The maximum number of records of up to 8,000 ranks together. The launcher can read this number of records.
    private static final long MOST_OF_A_JOB = 8_000_000;

    private static final long MOST = 1_000_000, LEAST = 1_000;

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
        site(0, 0); // for texts that do not fit
    }

    /// Creates the log of a rank. The log begins now.
    ///
    /// @throws IOException if the log cannot be written
    public static CallLog create(Path directory, int rank, int size, String host) throws IOException {
        return create(directory, rank, size, host, Math.clamp(MOST_OF_A_JOB / size, LEAST, MOST));
    }

    /// Creates a log with at most `most` records.
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

    /// Returns the number of a text in the log, and adds a new text; 0 if the space for texts is full.
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

    /// Returns the number of a site, and adds a new site: an operation and the program line that calls it.
    /// Returns 0 if the table of sites is full.
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

    /// Records a call that begins at `nanos`. Returns the number of the call, or -1 if the log is full.
    /// `thread` and `comm` are numbers that [#text] has returned.
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
        } catch (IOException e) { // no space: omitted calls are counted
            return null;
        }
        blocks[which] = block;
        return block;
    }

    /// Returns the block of an existing record.
    private MemorySegment of(long number) {
        MemorySegment block = blocks[(int) (number / CallRecord.BLOCK_RECORDS)];
        if (block == null) throw new IllegalArgumentException("no record " + number);
        return block;
    }

    /// Records the properties of a message, or of a collective call of kind `code`. In this and the following
    /// methods, a `number` of -1 has no effect.
    public void is(long number, int code, int lane, int peer, int tag, long bytes, long call) {
        if (number < 0) return;
        MemorySegment block = of(number);
        long at = CallRecord.inBlock(number);
        block.set(BYTE, at + CallRecord.CODE, (byte) code);
        block.set(BYTE, at + CallRecord.LANE, (byte) lane);
        messageArrived(number, peer, tag, bytes);
        block.set(LONG, at + CallRecord.CALL, call);
    }

    /// Records the properties of the message that was received or probed.
    public void messageArrived(long number, int source, int tag, long bytes) {
        if (number < 0) return;
        MemorySegment block = of(number);
        long at = CallRecord.inBlock(number);
        block.set(INT, at + CallRecord.PEER, source);
        block.set(INT, at + CallRecord.TAG, tag);
        block.set(LONG, at + CallRecord.LENGTH, bytes);
    }

    /// Records the number of a collective call or, for a wait, the record of the operation for which it waits.
    public void call(long number, long call) {
        if (number >= 0) of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.CALL, call);
    }

    /// Records the number of nanoseconds of pauses that a JVM event has caused.
    public void pauses(long number, long nanos) {
        if (number >= 0) of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.LENGTH, nanos);
    }

    /// Records the end of the call.
    public void end(long number, long nanos) {
        if (number >= 0) of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.END, nanos);
    }

    /// Records that the operation of the call is complete, as detected by the call `by`.
    public synchronized void done(long number, long by, int flags) {
        if (number < 0) return;
        of(number).set(LONG, CallRecord.inBlock(number) + CallRecord.DONE, by);
        flag(number, flags | CallRecord.COMPLETE);
    }

    /// Records that the call has failed.
    public synchronized void failed(long number) {
        if (number >= 0) flag(number, CallRecord.FAILED);
    }

    private void flag(long number, int flags) {
        MemorySegment block = of(number);
        long at = CallRecord.inBlock(number) + CallRecord.FLAGS;
        block.set(BYTE, at, (byte) (block.get(BYTE, at) | flags));
    }

    /// Records that a thread begins a call.
    public synchronized void enter(long nanos) {
        if (inside++ > 0) return;
        insideSince = nanos;
        head.set(LONG, CallRecord.INSIDE_SINCE, nanos);
    }

    /// Records that a thread ends a call that has taken `nanos` until `now`. At `site`, the call is counted as
    /// a wait if `isWait` is true, and otherwise as a call.
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

    /// Adds the bytes of a receive that this site has started.
    public synchronized void received(int site, long bytes) {
        add(CallRecord.site(site) + CallRecord.SITE_BYTES, bytes);
    }

    private void add(long at, long amount) {
        if (amount != 0) head.set(LONG, at, head.get(LONG, at) + amount);
    }

    /// Sets the difference between rank 0's clock and this rank's clock.
    public void clock(long offsetNanos) {
        head.set(LONG, CallRecord.CLOCK, offsetNanos);
    }

    /// Records the end of `Mpi.init`.
    public void began() {
        head.set(LONG, CallRecord.BEGAN, System.nanoTime());
    }

    /// Records that the rank has left the job.
    public void close() {
        head.set(LONG, CallRecord.LEFT, System.nanoTime());
    }
}
