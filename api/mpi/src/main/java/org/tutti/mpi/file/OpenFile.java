package org.tutti.mpi.file;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;

/// A file that the ranks of a communicator have opened together, as one of them has it. Arguments were checked
/// before; threads may call it at the same time, as far as MPI allows that. What fails is a [Fault] of scope
/// `FILE`.
public final class OpenFile {
    private final FileRanks ranks;
    private final CommPort port;
    private final String path;
    private final FileAgreement agreement;
    private final FileWindow window;
    private final StoredFile stored;
    private final FileMode mode;

    /// Whether the file lies, for some rank, where hosts keep copies of their own.
    private final boolean keepsCopies;

    private volatile FileHints hints;
    private volatile FileView view = FileView.BYTES;
    private volatile boolean atomic;

    /// The individual pointer, in etypes; guarded by this object.
    private long pointer;

    /// Of collective accesses, by one thread at a time; null while none has needed it.
    private @Nullable CollectiveBuffer buffer;

    /// There was no room for it.
    private boolean noBuffer;

    /// Whether no byte is in the views of two ranks; null while no collective access has asked. Of collective
    /// accesses, as above, and of [#view], which is called between them.
    private volatile @Nullable Boolean viewsAreApart;

    /// The end of the collective access that was begun last; guarded by this object.
    private CompletableFuture<?> lastCollective = CompletableFuture.completedFuture(null);

    /// Nonblocking accesses that are not over.
    private final AtomicInteger underWay = new AtomicInteger();

    private OpenFile(
            FileAgreement agreement, FileWindow window, StoredFile stored, FileMode mode, boolean keepsCopies) {
        this.agreement = agreement;
        ranks = agreement.ranks();
        port = agreement.port();
        path = agreement.path();
        this.window = window;
        this.stored = stored;
        this.mode = mode;
        this.keepsCopies = keepsCopies;
        hints = FileHints.of(Map.of(), keepsCopies);
    }

    // ---- opening, closing

    /// Opens a file on all ranks of `parent`, or on none. Collective.
    ///
    /// @param modes what must be the same on all ranks, as a number
    /// @param shownModes the same in words
    public static OpenFile open(
            FileRanks ranks,
            CommPort parent,
            String name,
            String path,
            FileMode mode,
            long modes,
            String shownModes,
            Map<String, String> hints) {
        WindowPort made = ranks.allocate("open", parent, name, parent.rank() == 0 ? FileWindow.BYTES : 0);
        if (made == null) {
            String what = path + ": there is no room for the " + FileWindow.BYTES + " bytes that ranks share";
            throw Fault.argument(PredefinedErrorClass.ERR_NO_MEM, "open", what, parent);
        }
        CommPort port = made.port();
        FileAgreement agreement = new FileAgreement(ranks, port, path);
        StoredFile stored = null;
        boolean isNew = false;
        try {
            FileWindow window = new FileWindow(ranks, made);
            agreement.checkModes(modes, shownModes);
            // the first rank makes the file, so that only it has to find that the file is there already
            boolean keepsCopies = false;
            for (boolean first : new boolean[] {true, false}) {
                StorageException failure = null;
                boolean mine = false;
                if ((port.rank() == 0) == first) {
                    try {
                        isNew = first && mode.create() && StoredFile.create(path, mode.exclusive());
                        stored = StoredFile.open(path, mode);
                        mine = stored.needsLocks();
                    } catch (StorageException e) {
                        failure = e;
                    }
                }
                // on the host that has the disk it is a local one, and the others' locks are of use only with its own
                keepsCopies |= agreement.agree("open", failure, mine ? 0 : 1) == 0;
            }
            if (stored == null) throw new IllegalStateException("a file that is not open");
            OpenFile open = new OpenFile(agreement, window, stored, mode, keepsCopies);
            open.info(hints);
            // only now that all have it, or a failure would cost what was in it
            if (mode.truncate()) open.byFirstRank("open", () -> open.stored.resize(0));
            if (mode.append()) open.toEnd();
            return open;
        } catch (RuntimeException | Error e) {
            if (stored != null) stored.close();
            if (isNew) StoredFile.delete(path);
            ranks.free(made);
            throw e;
        }
    }

    private void toEnd() {
        pointer = stored.size();
        if (port.rank() == 0) window.set("open", pointer);
        agreement.agree("open", null);
    }

    /// Deletes a file that need not be open.
    public static void delete(String path) {
        try {
            StoredFile.delete(path);
        } catch (StorageException e) {
            throw fault("delete", path, e, null);
        }
    }

    public void checkClose() {
        checkIdle("close");
    }

    private void checkIdle(String operation) {
        int left = underWay.get();
        if (left == 0) return;
        throw Fault.argument(
                PredefinedErrorClass.ERR_PENDING,
                operation,
                path + ": " + left + (left == 1 ? " access is" : " accesses are")
                        + " under way; await the request before",
                port);
    }

    /// Closes it on this rank. Local.
    public void close() {
        try {
            stored.close();
            if (mode.deleteOnClose() && port.rank() == 0) StoredFile.delete(path);
        } catch (StorageException e) {
            throw fault("close", e);
        } finally {
            CollectiveBuffer b = buffer;
            if (b != null) ranks.free(b.window());
            window.free();
        }
    }

    // ---- what it is

    public CommPort port() {
        return port;
    }

    public String path() {
        return path;
    }

    public FileView view() {
        return view;
    }

    public Map<String, String> info() {
        return hints.all();
    }

    public boolean isAtomic() {
        return atomic;
    }

    FileRanks ranks() {
        return ranks;
    }

    FileAgreement agreement() {
        return agreement;
    }

    FileHints hints() {
        return hints;
    }

    StoredFile stored() {
        return stored;
    }

    /// Local.
    public long size() {
        try {
            return stored.size();
        } catch (StorageException e) {
            throw fault("size", e);
        }
    }

    /// Sets the hints. Collective; waits for nobody.
    public void info(Map<String, String> newHints) {
        FileHints made = FileHints.of(newHints, keepsCopies);
        hints = made;
        stored.locks(made.locks());
    }

    /// Cuts the file off or makes it longer. Collective.
    public void resize(long bytes) {
        checkIdle("setSize");
        agreement.checkSame("setSize", bytes, "bytes");
        byFirstRank("setSize", () -> stored.resize(bytes));
    }

    /// Makes the file at least so long, of bytes that take their space. Collective.
    public void preallocate(long bytes) {
        checkIdle("preallocate");
        agreement.checkSame("preallocate", bytes, "bytes");
        byFirstRank("preallocate", () -> stored.fill(bytes));
    }

    private void byFirstRank(String operation, Runnable task) {
        StorageException failure = null;
        try {
            if (port.rank() == 0) task.run();
        } catch (StorageException e) {
            failure = e;
        }
        agreement.agree(operation, failure);
    }

    /// What ranks have written is on the disk, and seen by the others. Collective.
    public void sync() {
        checkIdle("sync");
        StorageException failure = null;
        try {
            if (mode.writes()) stored.force();
        } catch (StorageException e) {
            failure = e;
        }
        agreement.agree("sync", failure);
    }

    /// For accesses that begin later. Collective.
    public void atomic(boolean on) {
        inTurn(() -> {
            agreement.checkSame("setAtomicity", on ? 1 : 0, "atomic");
            atomic = on;
            return null;
        });
    }

    /// Sets the view; pointers go to its begin. Collective.
    ///
    /// @param alike what must be the same on all ranks: the data representation, as a number
    public void view(FileView wanted, long etypeExtent, long alike) {
        checkIdle("setView");
        agreement.checkSame("setView", etypeExtent, "the extent of the etype, in bytes,");
        agreement.checkSame("setView", alike, "the data representation");
        synchronized (this) {
            view = wanted;
            viewsAreApart = null;
            pointer = 0;
        }
        if (port.rank() == 0) window.set("setView", 0);
        agreement.agree("setView", null);
    }

    // ---- pointers

    public synchronized long pointer() {
        return pointer;
    }

    public synchronized void pointer(long etypes) {
        pointer = etypes;
    }

    /// Moves the individual pointer; where it was.
    public synchronized long advance(long etypes) {
        long old = pointer;
        pointer = Math.addExact(old, etypes);
        return old;
    }

    /// The access from there failed: the pointer is where it was, if nobody has moved it since.
    public synchronized void retreat(long from, long etypes) {
        if (pointer == from + etypes) pointer = from;
    }

    public long sharedPointer(String operation) {
        return window.get(operation);
    }

    /// Moves the shared pointer; where it was.
    public long advanceShared(String operation, long etypes) {
        return window.add(operation, etypes);
    }

    /// The same for all ranks, in their order. Collective.
    public long advanceOrdered(String operation, long etypes) {
        long[] all = ranks.exchange(operation, port, etypes);
        long before = Arrays.stream(all, 0, port.rank()).sum();
        long sum = Arrays.stream(all).sum();
        long begin = ranks.exchange(operation, port, port.rank() == 0 ? window.add(operation, sum) : 0)[0];
        try {
            FileView v = view;
            if (sum > 0) v.position(Math.multiplyExact(Math.addExact(begin, sum), v.etypeBytes()) - 1);
            return begin + before;
        } catch (ArithmeticException e) {
            // on all ranks, whose views are the same
            if (port.rank() == 0) window.add(operation, -sum);
            String what =
                    path + ": " + sum + " etypes of all ranks from " + begin + " on end beyond 2^63 bytes of the file";
            throw Fault.argument(PredefinedErrorClass.ERR_ARG, operation, what, port);
        }
    }

    /// Where all ranks count from when they move the shared pointer alike: what the first one says. Collective.
    public long sharedOrigin(long offset, long whence, LongSupplier origin) {
        return inTurn(() -> {
            agreement.checkSame("seekShared", offset, "the offset");
            agreement.checkSame("seekShared", whence, "whence");
            return ranks.exchange("seekShared", port, port.rank() == 0 ? origin.getAsLong() : 0)[0];
        });
    }

    /// Sets the shared pointer to what all have found. Collective.
    public void seekShared(long etypes) {
        inTurn(() -> {
            if (port.rank() == 0) window.set("seekShared", etypes);
            agreement.agree("seekShared", null);
            return null;
        });
    }

    /// In etypes: the first that begins behind the last byte of the file.
    public long endOfFile() {
        FileView v = view;
        return Math.ceilDiv(v.below(size()), v.etypeBytes());
    }

    // ---- accesses

    /// Reads or writes from the packed byte `first` on; how much was there to be read. Local.
    public long access(String operation, boolean writes, long first, FileData data) {
        FileView v = view;
        boolean locked = atomic;
        if (locked) window.lock(writes);
        try {
            return alone(writes, v, first, data);
        } catch (StorageException e) {
            throw fault(operation, e);
        } finally {
            if (locked) window.unlock();
        }
    }

    private long alone(boolean writes, FileView v, long first, FileData data) {
        if (!writes) return IndependentAccess.read(stored, v, first, data);
        IndependentAccess.write(stored, v, first, data);
        return data.bytes();
    }

    /// The same on all ranks. Collective.
    ///
    /// @param first is asked when it is this access's turn
    public long accessAll(String operation, boolean writes, LongSupplier first, FileData data) {
        FileView v = view;
        return inTurn(() -> together(operation, writes, v, first.getAsLong(), data));
    }

    /// What this rank does together with the others, when all that it has begun before is over: nonblocking
    /// accesses are other threads'.
    private <T extends @Nullable Object> T inTurn(Supplier<T> call) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<?> before = enqueue(over);
        try {
            before.join();
            return call.get();
        } finally {
            over.complete(null);
        }
    }

    /// In the order in which they were begun.
    private synchronized CompletableFuture<?> enqueue(CompletableFuture<?> access) {
        CompletableFuture<?> before = lastCollective;
        lastCollective = access;
        return before;
    }

    private long together(String operation, boolean writes, FileView v, long first, FileData data) {
        if (atomic) return oneAfterTheOther(operation, writes, v, first, data);
        CollectiveAccess access = new CollectiveAccess(this, operation, v, first, data);
        if (!writes) return access.read();
        access.write();
        return data.bytes();
    }

    private long oneAfterTheOther(String operation, boolean writes, FileView v, long first, FileData data) {
        StorageException failure = null;
        long done = 0;
        window.lock(writes);
        try {
            done = alone(writes, v, first, data);
        } catch (RuntimeException e) {
            failure = StorageException.of(e);
        } finally {
            window.unlock();
        }
        agreement.agree(operation, failure);
        return done;
    }

    /// Begins [#access]. Local.
    public CompletableFuture<Long> start(String operation, boolean writes, long first, FileData data) {
        return begun(() -> access(operation, writes, first, data), FileThreads.ALONE);
    }

    /// Begins [#accessAll]. Collective; waits for nobody.
    public CompletableFuture<Long> startAll(String operation, boolean writes, LongSupplier first, FileData data) {
        FileView v = view;
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<?> before = enqueue(over);
        // a thread only when it is its turn
        Executor inTurn = task -> before.whenComplete((_, _) -> FileThreads.TOGETHER.execute(task));
        return begun(
                () -> {
                    try {
                        return together(operation, writes, v, first.getAsLong(), data);
                    } finally {
                        over.complete(null);
                    }
                },
                inTurn);
    }

    private CompletableFuture<Long> begun(LongSupplier access, Executor threads) {
        underWay.incrementAndGet();
        CompletableFuture<Long> done = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                long bytes = access.getAsLong();
                underWay.decrementAndGet();
                done.complete(bytes);
            } catch (RuntimeException | Error e) { // it is thrown where somebody waits
                underWay.decrementAndGet();
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    // ---- errors

    private Fault fault(String operation, StorageException why) {
        return fault(operation, path, why, port);
    }

    private static Fault fault(String operation, String path, StorageException why, @Nullable CommPort port) {
        String where = port == null ? path : path + " on " + Host.name();
        return Fault.file(why.errorClass(), operation, where + ": " + why.text(), port, why.getCause());
    }

    // ---- what collective accesses keep

    /// Whether no byte is in the views of two ranks, as far as that is quickly seen. Collective; of collective
    /// accesses whose ranks all have ascending views.
    boolean viewsAreApart(String operation, FileView v) {
        Boolean known = viewsAreApart;
        if (known == null) viewsAreApart = known = DisjointViews.agree(this, operation, v);
        return known;
    }

    /// Made by the first access that needs it, on all ranks or none, with domains of so many bytes; null where
    /// there is no room. Collective.
    @Nullable
    CollectiveBuffer buffer(String operation, long domain) {
        if (buffer != null || noBuffer) return buffer;
        WindowPort made = ranks.allocate(operation, port, port.name(), CollectiveBuffer.bytes(domain));
        noBuffer = made == null;
        if (made != null) buffer = new CollectiveBuffer(made, domain);
        return buffer;
    }
}
