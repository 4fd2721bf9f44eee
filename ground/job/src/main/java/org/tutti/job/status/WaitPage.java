package org.tutti.job.status;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A rank's page of long waits, which the launcher may read at any time. Only the rank itself writes the page,
/// and only in waits that have lasted for a long time.
///
///     0         8         16          24          32          40
///     | version | pulse   | moves     | others    | waits     | the waits, one after the other …     int64
///     wait      since | polls | sends | ranks: the wakers | communicator | call | ranks: the needed
///               | operation | what | line | note
///     ranks     count of int64 values | the values …
///     a text    length, then UTF-8, padded to 8
///
/// `version` is odd while the page is being written; a reader uses the data only if it reads the same even
/// version before and after the data. `pulse` can be read regardless of the version: a change shows that the
/// rank makes progress.
public final class WaitPage implements WaitReporter {
    static final int BYTES = 4096;

    private static final int VERSION = 0, PULSE = 8, MOVES = 16, OTHER_THREADS = 24, COUNT = 32, WAITS = 40;
    private static final int LONGEST_TEXT = 400;
    private static final int LINE_BYTES = 2400;
    private static final int TRIES = 20;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /// A consistent snapshot of a page.
    ///
    /// @param pulse a number that changes when the rank moves messages, but not for each message
    /// @param moves the number of messages moved by the rank, or of calls of the rank, at the time when the
    /// page was written
    /// @param otherThreads the number of threads that could call MPI and are not in `waits`, plus the number of
    ///     waits that did not fit
    public record Seen(long pulse, long moves, long otherThreads, List<BlockedCall> waits) {}

    private final ByteBuffer pages;
    private final int at;

    WaitPage(ByteBuffer pages, int at) {
        this.pages = pages;
        this.at = at;
    }

    @Override
    public void pulse(long moves) {
        LONG.setOpaque(pages, at + PULSE, moves);
    }

    @Override
    public void write(long moves, long otherThreads, List<BlockedCall> waits) {
        ByteBuffer to = encode(moves, otherThreads, waits, BYTES);
        long version = (long) LONG.getOpaque(pages, at + VERSION);
        LONG.setOpaque(pages, at + VERSION, version + 1);
        VarHandle.storeStoreFence();
        pages.put(at + MOVES, to.array(), MOVES, to.position() - MOVES);
        LONG.setRelease(pages, at + VERSION, version + 2);
    }

    private static ByteBuffer encode(long moves, long otherThreads, List<BlockedCall> waits, int room) {
        ByteBuffer to = ByteBuffer.allocate(room).order(ByteOrder.nativeOrder());
        to.position(WAITS);
        long untold = 0;
        for (BlockedCall wait : waits) if (!put(to, wait)) untold++;
        to.putLong(MOVES, moves);
        to.putLong(OTHER_THREADS, otherThreads + untold);
        to.putLong(COUNT, waits.size() - untold);
        return to;
    }

    /// Returns the contents that [#write] would store, for a reader on a different machine. The contents
    /// include only as many waits as fit into a [ReportLine].
    static byte[] bytes(long moves, long otherThreads, List<BlockedCall> waits) {
        ByteBuffer page = encode(moves, otherThreads, waits, LINE_BYTES);
        return Arrays.copyOf(page.array(), page.position());
    }

    /// Writes the contents that a rank has obtained from [#bytes]. The rank's clock is slow by `offsetNanos`,
    /// compared with this machine's clock.
    public void copy(byte[] bytes, long offsetNanos) {
        Seen seen = seen(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
        write(
                seen.moves,
                seen.otherThreads,
                seen.waits.stream()
                        .map(w -> w.blocksAThread() ? w.since(w.sinceNanos() + offsetNanos) : w)
                        .toList());
    }

    /// Writes a wait. Returns false if the wait does not fit.
    private static boolean put(ByteBuffer to, BlockedCall wait) {
        long[] wakers = wait.wakers().toLongArray(), needs = wait.call().needs().toLongArray();
        byte[] operation = utf8(wait.operation()), what = utf8(wait.what()), line = utf8(wait.line());
        byte[] note = utf8(wait.note());
        int room = 8 * (11 + wakers.length + needs.length)
                + padded(operation)
                + padded(what)
                + padded(line)
                + padded(note);
        if (room > to.remaining()) return false;
        to.putLong(wait.sinceNanos()).putLong(wait.polls()).putLong(wait.sends() ? 1 : 0);
        put(to, wakers);
        to.putLong(wait.call().comm()).putLong(wait.call().number());
        put(to, needs);
        for (byte[] text : List.of(operation, what, line, note)) {
            to.putLong(text.length).put(text);
            to.position(to.position() + padded(text) - text.length);
        }
        return true;
    }

    private static void put(ByteBuffer to, long[] ranks) {
        to.putLong(ranks.length);
        for (long word : ranks) to.putLong(word);
    }

    private static int padded(byte[] text) {
        return (text.length + 7) & -8;
    }

    private static byte[] utf8(String text) {
        String some = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) + "…" : text;
        return some.getBytes(StandardCharsets.UTF_8);
    }

    /// Returns the contents of the page; null if the page is being written, or if the rank was stopped during a
    /// write.
    public @Nullable Seen read() {
        byte[] copy = new byte[BYTES];
        for (int i = 0; i < TRIES; i++) {
            long before = (long) LONG.getAcquire(pages, at + VERSION);
            pages.get(at, copy);
            VarHandle.loadLoadFence();
            long after = (long) LONG.getOpaque(pages, at + VERSION);
            if (before == after && (before & 1) == 0) {
                return seen(ByteBuffer.wrap(copy).order(ByteOrder.nativeOrder()));
            }
            Thread.onSpinWait();
        }
        return null;
    }

    private static Seen seen(ByteBuffer from) {
        List<BlockedCall> waits = new ArrayList<>();
        from.position(WAITS);
        for (long left = from.getLong(COUNT); left > 0; left--) waits.add(get(from));
        return new Seen(from.getLong(PULSE), from.getLong(MOVES), from.getLong(OTHER_THREADS), List.copyOf(waits));
    }

    private static BlockedCall get(ByteBuffer from) {
        long since = from.getLong();
        long polls = from.getLong();
        boolean sends = from.getLong() != 0;
        BitSet wakers = ranks(from);
        BlockedCall.Call call = new BlockedCall.Call(from.getLong(), from.getLong(), ranks(from));
        return new BlockedCall(text(from), text(from), text(from), sends, since, polls, wakers, call, text(from));
    }

    private static BitSet ranks(ByteBuffer from) {
        long[] words = new long[(int) from.getLong()];
        for (int i = 0; i < words.length; i++) words[i] = from.getLong();
        return BitSet.valueOf(words);
    }

    private static String text(ByteBuffer from) {
        byte[] utf8 = new byte[(int) from.getLong()];
        from.get(utf8);
        from.position(from.position() + padded(utf8) - utf8.length);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
