package org.tutti.mpi.window;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Access;
import org.tutti.spi.AttachedMemory;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;

/// A dynamic window (`MPI_Win_create_dynamic`), implemented on an ordinary, underlying window. Epochs are those
/// of the underlying window; accesses go to memory that ranks have attached. Each rank publishes a table of
/// attached memory in the underlying window, as int64 values; other ranks read the table before an access.
///
///     0         8        16          24          32          40
///     | version | pieces | begin[0]  | bytes[0]  | begin[1]  | …
///
/// The version is odd while the table changes.
public final class DynamicPort extends WindowPort {
    private static final int MOST_PIECES = 1023;
    private static final long VERSION = 0, PIECES = 8, TABLE = 16, ENTRY = 16;

    /// The size of the table in each rank's window memory.
    public static final long BYTES = TABLE + ENTRY * MOST_PIECES;

    private static final VarHandle WORD = JAVA_LONG.varHandle();

    /// The attached memory of a target when this rank last read the table: alternating begin and length.
    private record TargetMemory(long version, long[] places) {
        boolean have(long begin, long end) {
            for (int i = 0; i < places.length; i += 2) {
                if (begin >= places[i] && end <= places[i] + places[i + 1]) return true;
            }
            return begin == end;
        }

        long bytes() {
            long sum = 0;
            for (int i = 1; i < places.length; i += 2) sum += places[i];
            return sum;
        }
    }

    private final WindowPort underlying;
    private final AttachedMemory attached;
    private final MemorySegment table;
    private final TargetMemory[] known;

    /// The access that reads the tables of other ranks. One thread at a time uses it.
    private final Access tableRead = new Access();

    private final long[] word = new long[1];
    private final Memory wordMemory = Memory.ofArray(word);

    public DynamicPort(WindowPort underlying, AttachedMemory attached) {
        super(underlying.port());
        this.underlying = underlying;
        this.attached = attached;
        table = underlying.memory(port().rank());
        known = new TargetMemory[port().size()];
        Arrays.fill(known, new TargetMemory(0, new long[0]));
    }

    // ---- attached memory

    /// Attaches memory for access by other ranks. Returns the displacement.
    public synchronized long attach(MemorySegment memory) {
        long begin = attached.attach(memory), bytes = memory.byteSize();
        if (bytes == 0) return begin;
        long n = table.get(JAVA_LONG, PIECES);
        String why = n == MOST_PIECES ? n + " pieces are already attached; attach fewer, larger pieces" : null;
        for (long i = 0; i < n; i++) {
            if (begin < begin(i) + bytes(i) && begin(i) < begin + bytes) {
                why = bytes + " bytes overlap with " + bytes(i) + " that are already attached; detach these first";
            }
        }
        if (why != null) {
            attached.detach(memory);
            throw refused("attach", why);
        }
        change(() -> {
            set(n, begin, bytes);
            table.set(JAVA_LONG, PIECES, n + 1);
        });
        return begin;
    }

    /// Detaches memory.
    public synchronized void detach(MemorySegment memory) {
        if (memory.byteSize() == 0) return;
        long n = table.get(JAVA_LONG, PIECES), begin = attached.place(memory), which = 0;
        while (which < n && (begin(which) != begin || bytes(which) != memory.byteSize())) which++;
        if (which == n) {
            throw refused(
                    "detach",
                    memory.byteSize() + " bytes do not match an attached segment; pass the"
                            + " segment that was passed to attach()");
        }
        long detached = which;
        change(() -> {
            set(detached, begin(n - 1), bytes(n - 1));
            table.set(JAVA_LONG, PIECES, n - 1);
        });
        attached.detach(memory);
    }

    /// Returns whether this rank has attached bytes of `memory`.
    public synchronized boolean isAttached(MemorySegment memory) {
        long n = table.get(JAVA_LONG, PIECES);
        if (n == 0) return false;
        long place = attached.place(memory), end = place + memory.byteSize();
        for (long i = 0; i < n; i++) if (begin(i) < end && place < begin(i) + bytes(i)) return true;
        return false;
    }

    private void change(Runnable changes) {
        long version = table.get(JAVA_LONG, VERSION);
        WORD.setVolatile(table, VERSION, version + 1);
        VarHandle.fullFence();
        changes.run();
        WORD.setRelease(table, VERSION, version + 2);
        underlying.sync();
    }

    private long begin(long i) {
        return table.get(JAVA_LONG, TABLE + ENTRY * i);
    }

    private long bytes(long i) {
        return table.get(JAVA_LONG, TABLE + ENTRY * i + Long.BYTES);
    }

    private void set(long i, long begin, long bytes) {
        table.set(JAVA_LONG, TABLE + ENTRY * i, begin);
        table.set(JAVA_LONG, TABLE + ENTRY * i + Long.BYTES, bytes);
    }

    private Fault refused(String operation, String why) {
        return Fault.argument(PredefinedErrorClass.ERR_RMA_ATTACH, operation, why, port());
    }

    // ---- memory attached by other ranks

    /// Returns the reason to reject an access to these bytes of `target`; null if the access is permitted.
    public @Nullable Fault outside(String operation, int target, long begin, long end) {
        TargetMemory pieces = pieces(operation, target);
        if (begin <= end && pieces.have(begin, end)) return null;
        int n = pieces.places.length / 2;
        String what = (end - begin) + " bytes at disp=" + begin + " are not within "
                + (n == 1 ? "the piece" : "one of the " + n + " pieces") + " attached by rank " + target + " ("
                + pieces.bytes() + " bytes)";
        return Fault.argument(PredefinedErrorClass.ERR_RMA_RANGE, operation, what, port());
    }

    private synchronized TargetMemory pieces(String operation, int target) {
        TargetMemory last = known[target];
        for (long version = word(operation, target, VERSION); version != last.version; ) {
            long n = word(operation, target, PIECES);
            boolean isWhole = version % 2 == 0 && n >= 0 && n <= MOST_PIECES;
            long[] places = new long[isWhole ? (int) (2 * n) : 0];
            read(operation, target, TABLE, places.length, Memory.ofArray(places));
            long after = word(operation, target, VERSION);
            if (isWhole && after == version) known[target] = last = new TargetMemory(version, places);
            version = after;
        }
        return last;
    }

    private long word(String operation, int target, long at) {
        read(operation, target, at, 1, wordMemory);
        return word[0];
    }

    private void read(String operation, int target, long at, int values, Memory into) {
        tableRead.fill(operation, Access.Kind.GET, target);
        tableRead.targetOffset = at;
        tableRead.bytes = (long) Long.BYTES * values;
        tableRead.result.at(into, null);
        underlying.run(tableRead);
        VarHandle.acquireFence(); // orders the reads of versions and content
    }

    // ---- the window

    @Override
    public long bytes(int rank) {
        return 0;
    }

    @Override
    public int unitBytes(int rank) {
        return 1;
    }

    @Override
    public MemorySegment memory(int rank) {
        return table.asSlice(0, 0);
    }

    @Override
    public void run(Access access) {
        attached.run(access);
    }

    @Override
    public void flush(int target) {
        attached.flush(target);
    }

    @Override
    public void flushAll() {
        attached.flushAll();
    }

    @Override
    public void sync() {
        underlying.sync();
    }

    @Override
    public @Nullable LocalWait lock(int target, boolean exclusive) {
        return underlying.lock(target, exclusive);
    }

    @Override
    public int lockLine(int target) {
        return underlying.lockLine(target);
    }

    @Override
    public void lockLine(int target, int line) {
        underlying.lockLine(target, line);
    }

    @Override
    public void unlock(int target) {
        attached.flush(target);
        underlying.unlock(target);
    }

    @Override
    public void post(int[] origins) {
        underlying.post(origins);
    }

    @Override
    public @Nullable LocalWait start(int[] targets) {
        return underlying.start(targets);
    }

    @Override
    public void complete(int[] targets) {
        for (int target : targets) attached.flush(target);
        underlying.complete(targets);
    }

    @Override
    public @Nullable LocalWait await(int[] origins) {
        return underlying.await(origins);
    }

    @Override
    public boolean test(int[] origins) {
        return underlying.test(origins);
    }

    @Override
    public void free() {
        attached.free();
        underlying.free();
    }
}
