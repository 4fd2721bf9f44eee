package org.tutti.job.calls;

import static org.tutti.job.calls.CallRecord.BYTE;
import static org.tutti.job.calls.CallRecord.INT;
import static org.tutti.job.calls.CallRecord.LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.calls.CallRecord.Kind;

/// A rank's call log, which is read after the rank has ended. All times are according to rank 0's clock.
public final class CallFile {
    /// All calls of an operation at a source line of the program.
    ///
    /// @param waits the number of calls that wait for, or test, an operation that an earlier call has started
    public record Site(String operation, String line, long calls, long waits, long nanos, long bytes) {}

    private final int rank;
    private final MemorySegment file;
    private final List<String> texts;
    private final int records;
    private final long clock;
    private final long began;
    private final long finishedNanos;

    /// The drift: since the rank's clock was compared with rank 0's clock, it has lost this fraction of each
    /// nanosecond.
    private double rate;

    private long lastNanos;

    private CallFile(int rank, MemorySegment file, long finishedNanos) {
        this.rank = rank;
        this.file = file;
        clock = head(CallRecord.CLOCK);
        began = head(CallRecord.BEGAN);
        texts = texts(file);
        long room = (file.byteSize() - CallRecord.RECORDS) / CallRecord.BYTES;
        records = (int) Math.min(head(CallRecord.RECORDS_USED), room);
        this.finishedNanos = finishedNanos;
        lastNanos = endNanos();
    }

    private long endNanos() {
        long left = head(CallRecord.LEFT);
        if (left != 0) return corrected(left);
        return finishedNanos == 0 || head(CallRecord.INSIDE_SINCE) == 0 ? last() : finishedNanos;
    }

    /// Sets the drift: since the end of `Mpi.init`, the rank's clock has lost the fraction `rate` of each
    /// nanosecond. All times are corrected from now on.
    public void drifts(double rate) {
        this.rate = rate;
        lastNanos = endNanos();
    }

    /// Corrects a time of the rank's clock.
    private long corrected(long nanos) {
        return nanos + clock + Math.round((nanos - began) * rate);
    }

    /// Opens the log. Returns null if the rank has not created a log.
    ///
    /// @param finishedNanos the time at which the job ended, according to this machine's clock, if the rank
    ///     uses the same clock; otherwise 0
    /// @throws IOException if the log cannot be read
    public static @Nullable CallFile open(Path directory, int rank, long finishedNanos, Arena arena)
            throws IOException {
        Path path = CallRecord.file(directory, rank);
        if (!Files.exists(path)) return null;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            if (channel.size() < CallRecord.RECORDS) return null;
            MemorySegment file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            return file.get(LONG, CallRecord.MAGIC) == CallRecord.THERE
                    ? new CallFile(rank, file, finishedNanos)
                    : null;
        }
    }

    private static List<String> texts(MemorySegment file) {
        List<String> texts = new ArrayList<>();
        texts.add("");
        long end = CallRecord.TEXTS + file.get(LONG, CallRecord.TEXT_USED);
        for (long at = CallRecord.TEXTS; at + 2 <= end; ) {
            byte[] utf8 = new byte[file.get(CallRecord.SHORT, at)];
            MemorySegment.copy(file, BYTE, at + 2, utf8, 0, utf8.length);
            texts.add(new String(utf8, StandardCharsets.UTF_8));
            at += 2 + utf8.length;
        }
        return texts;
    }

    private long last() {
        long last = began();
        for (int i = 0; i < records; i++) {
            last = Math.max(last, begin(i));
            if (time(i, CallRecord.END) != 0) last = Math.max(last, corrected(time(i, CallRecord.END)));
        }
        return last;
    }

    private long head(long at) {
        return file.get(LONG, at);
    }

    public int rank() {
        return rank;
    }

    /// Returns the number of ranks of the job.
    public int size() {
        return (int) head(CallRecord.SIZE);
    }

    public long pid() {
        return head(CallRecord.PID);
    }

    public String host() {
        return text((int) head(CallRecord.HOST));
    }

    /// Returns the time at which `Mpi.init` ended.
    public long began() {
        return began + clock;
    }

    /// Returns whether the rank has closed the `Mpi`.
    public boolean hasLeft() {
        return head(CallRecord.LEFT) != 0;
    }

    /// Returns the time at which the rank closed the `Mpi` or, if it ended in a different way, the last known
    /// time of the rank.
    public long lastNanos() {
        return lastNanos;
    }

    /// Returns the number of calls that were not recorded because the log had no space.
    public long leftOut() {
        return head(CallRecord.LEFT_OUT);
    }

    /// Returns the time during which at least one of the rank's threads was in a call.
    public long insideNanos() {
        long since = head(CallRecord.INSIDE_SINCE);
        return head(CallRecord.INSIDE) + (since == 0 ? 0 : Math.max(0, lastNanos - corrected(since)));
    }

    public List<Site> sites() {
        List<Site> sites = new ArrayList<>();
        int used = (int) Math.min(head(CallRecord.SITES_USED), CallRecord.MOST_SITES);
        for (int i = 0; i < used; i++) sites.add(siteNumbered(i));
        return sites;
    }

    private Site siteNumbered(int number) {
        long at = CallRecord.site(number);
        return new Site(
                text(file.get(INT, at + CallRecord.OPERATION)),
                text(file.get(INT, at + CallRecord.LINE)),
                file.get(LONG, at + CallRecord.CALLS),
                file.get(LONG, at + CallRecord.WAITS),
                file.get(LONG, at + CallRecord.NANOS),
                file.get(LONG, at + CallRecord.SITE_BYTES));
    }

    /// Returns the number of records.
    public int records() {
        return records;
    }

    private static long at(int i, long field) {
        return CallRecord.RECORDS + (long) i * CallRecord.BYTES + field;
    }

    private long time(int i, long field) {
        return file.get(LONG, at(i, field));
    }

    private int number(int i, long field) {
        return file.get(INT, at(i, field));
    }

    public Kind kind(int i) {
        return Kind.ALL[file.get(BYTE, at(i, CallRecord.KIND))];
    }

    public int code(int i) {
        return file.get(BYTE, at(i, CallRecord.CODE));
    }

    public int lane(int i) {
        return file.get(BYTE, at(i, CallRecord.LANE));
    }

    /// Returns whether the record has all of these flags.
    public boolean is(int i, int flags) {
        return (file.get(BYTE, at(i, CallRecord.FLAGS)) & flags) == flags;
    }

    public long begin(int i) {
        return corrected(time(i, CallRecord.BEGIN));
    }

    /// Returns the time at which a call ended. If the rank ended during the call, this is the end of the rank.
    public long end(int i) {
        long end = time(i, CallRecord.END);
        return end == 0 ? Math.max(lastNanos, begin(i)) : corrected(end);
    }

    /// Returns whether the call has returned.
    public boolean isFinished(int i) {
        return time(i, CallRecord.END) != 0;
    }

    public String operation(int i) {
        return text(file.get(INT, CallRecord.site(number(i, CallRecord.SITE)) + CallRecord.OPERATION));
    }

    /// Returns the source line of the program; an empty string if the stack contained no line of the program.
    public String line(int i) {
        return text(file.get(INT, CallRecord.site(number(i, CallRecord.SITE)) + CallRecord.LINE));
    }

    /// Returns the number of the call's site. A site is a pair of [#operation] and [#line].
    public int site(int i) {
        return number(i, CallRecord.SITE);
    }

    /// Returns the number of the text that describes the thread, `id name`.
    public int thread(int i) {
        return number(i, CallRecord.THREAD);
    }

    /// Returns the number of the text that describes the communicator, `id name`.
    public int comm(int i) {
        return number(i, CallRecord.COMM);
    }

    public int peer(int i) {
        return number(i, CallRecord.PEER);
    }

    public int tag(int i) {
        return number(i, CallRecord.TAG);
    }

    public long bytes(int i) {
        return time(i, CallRecord.LENGTH);
    }

    public long call(int i) {
        return time(i, CallRecord.CALL);
    }

    /// Returns the record of the call that completed the operation; -1 if there is no such record.
    public int done(int i) {
        return (int) time(i, CallRecord.DONE);
    }

    public String text(int number) {
        return number <= 0 || number >= texts.size() ? "" : texts.get(number);
    }

    /// Returns the upper bound, exclusive, of the numbers for which [#text] returns a text.
    public int texts() {
        return texts.size();
    }
}
