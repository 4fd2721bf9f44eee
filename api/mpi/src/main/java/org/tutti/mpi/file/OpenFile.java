package org.tutti.mpi.file;

import java.util.Arrays;
import java.util.HashMap;
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

/// One rank's handle of a file that the ranks of a communicator have opened together. The caller has checked
/// the arguments; threads may call the methods concurrently as far as MPI permits. A failure is a [Fault] of
/// scope `FILE`.
public final class OpenFile {
    private final FileRanks ranks;
    private final CommPort port;
    private final String path;
    private final FileAgreement agreement;
    private final FileWindow window;
    private final StoredFile stored;
    private final FileMode mode;

    /// Whether any rank's host caches the content of the file.
    private final boolean keepsCopies;

    private volatile FileHints hints;
    private volatile FileView view = FileView.BYTES;
    private volatile boolean atomic;

    /// The individual pointer, in etypes. Guarded by the monitor of this object.
    private long pointer;

    /// The buffer of collective accesses, used by one thread at a time; null before the first access that needs
    /// it.
    private @Nullable CollectiveBuffer buffer;

    /// Whether the allocation of the buffer failed.
    private boolean noBuffer;

    /// Whether the views of all ranks are disjoint; null before the first collective access that needs it.
    /// Collective accesses, which run one after the other, set the field; [#view] resets the field between two
    /// accesses.
    private volatile @Nullable Boolean viewsAreApart;

    /// A future that is complete when the last collective access is complete. Guarded by the monitor of this
    /// object.
    private CompletableFuture<?> lastCollective = CompletableFuture.completedFuture(null);

    /// The number of pending nonblocking accesses.
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
    /// @param modes the modes as a number, which must be equal on all ranks
    /// @param shownModes the text form of the modes
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
            String what = path + ": not enough memory for " + FileWindow.BYTES + " bytes shared by the ranks";
            throw Fault.argument(PredefinedErrorClass.ERR_NO_MEM, "open", what, parent);
        }
        CommPort port = made.port();
        FileAgreement agreement = new FileAgreement(ranks, port, path);
        StoredFile stored = null;
        boolean isNew = false;
        try {
            FileWindow window = new FileWindow(ranks, made);
            agreement.checkModes(modes, shownModes);
            // the first rank creates the file, so only that rank checks whether the file exists
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
                // a host with the disk would need no locks for its local file system; but if other hosts use
                // locks, this host must use locks, too
                keepsCopies |= agreement.agree("open", failure, mine ? 0 : 1) == 0;
            }
            if (stored == null) throw new IllegalStateException("the file is not open");
            OpenFile open = new OpenFile(agreement, window, stored, mode, keepsCopies);
            open.info(hints);
            // the file is truncated only after all ranks have opened it, because a failed open must not destroy
            // the content
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

    /// Deletes a file, which need not be open.
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
                        + " pending; wait for the request first",
                port);
    }

    /// Closes the file on this rank. Local.
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

    // ---- properties

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

    /// Returns the length of the file in bytes. Local.
    public long size() {
        try {
            return stored.size();
        } catch (StorageException e) {
            throw fault("size", e);
        }
    }

    /// Sets these hints; others remain. Collective; does not wait for other ranks.
    public void info(Map<String, String> newHints) {
        Map<String, String> all = new HashMap<>(hints.all());
        all.putAll(newHints);
        FileHints made = FileHints.of(all, keepsCopies);
        hints = made;
        stored.locks(made.locks());
    }

    /// Truncates or extends the file. Collective.
    public void resize(long bytes) {
        checkIdle("setSize");
        agreement.checkSame("setSize", bytes, "bytes");
        byFirstRank("setSize", () -> stored.resize(bytes));
    }

    /// Extends the file to at least this size, and allocates the space. Collective.
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

    /// Writes all data of the ranks to the disk, where it is visible to all ranks. Collective.
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

    /// Sets whether later accesses are atomic. Collective.
    public void atomic(boolean on) {
        inTurn(() -> {
            agreement.checkSame("setAtomicity", on ? 1 : 0, "atomic");
            atomic = on;
            return null;
        });
    }

    /// Sets the view, and resets the pointers. Collective.
    ///
    /// @param alike the data representation as a number; must be equal on all ranks
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

    /// Advances the individual pointer. Returns the previous value.
    public synchronized long advance(long etypes) {
        long old = pointer;
        pointer = Math.addExact(old, etypes);
        return old;
    }

    /// Resets the individual pointer to `from` after a failed access, unless the pointer has been moved since
    /// then.
    public synchronized void retreat(long from, long etypes) {
        if (pointer == from + etypes) pointer = from;
    }

    public long sharedPointer(String operation) {
        return window.get(operation);
    }

    /// Advances the shared pointer. Returns the previous value.
    public long advanceShared(String operation, long etypes) {
        return window.add(operation, etypes);
    }

    /// Advances the shared pointer for all ranks, in rank order. Returns this rank's position. Collective.
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
            // all ranks fail, because the view is the same on all ranks
            if (port.rank() == 0) window.add(operation, -sum);
            String what = path + ": " + sum + " etypes of all ranks from " + begin
                    + " on end after byte 2^63 - 1 of the file";
            throw Fault.argument(PredefinedErrorClass.ERR_ARG, operation, what, port);
        }
    }

    /// Returns the origin for a seek of the shared pointer by all ranks; the first rank determines the origin.
    /// Collective.
    public long sharedOrigin(long offset, long whence, LongSupplier origin) {
        return inTurn(() -> {
            agreement.checkSame("seekShared", offset, "the offset");
            agreement.checkSame("seekShared", whence, "whence");
            return ranks.exchange("seekShared", port, port.rank() == 0 ? origin.getAsLong() : 0)[0];
        });
    }

    /// Sets the shared pointer; all ranks pass the same value. Collective.
    public void seekShared(long etypes) {
        inTurn(() -> {
            if (port.rank() == 0) window.set("seekShared", etypes);
            agreement.agree("seekShared", null);
            return null;
        });
    }

    /// Returns the end of the file in etypes: the first etype that starts after the last byte.
    public long endOfFile() {
        FileView v = view;
        return Math.ceilDiv(v.below(size()), v.etypeBytes());
    }

    // ---- accesses

    /// Reads or writes, starting at the packed byte `first`. Returns the number of bytes that were written, or
    /// that were available for reading. Local.
    public long access(String operation, boolean writes, long first, FileData data) {
        FileView v = view;
        boolean locked = atomic;
        if (locked) window.lock(writes);
        try {
            return accessIndependently(writes, v, first, data);
        } catch (StorageException e) {
            throw fault(operation, e);
        } finally {
            if (locked) window.unlock();
        }
    }

    private long accessIndependently(boolean writes, FileView v, long first, FileData data) {
        if (!writes) return IndependentAccess.read(stored, v, first, data);
        IndependentAccess.write(stored, v, first, data);
        return data.bytes();
    }

    /// Like [#access], on all ranks. Collective.
    ///
    /// @param first supplies the number of the packed byte at which the access starts; called when all
    ///     preceding accesses are complete
    public long accessAll(String operation, boolean writes, LongSupplier first, FileData data) {
        FileView v = view;
        return inTurn(() -> together(operation, writes, v, first.getAsLong(), data));
    }

    /// Runs a collective operation of this rank when all collective operations that this rank started earlier
    /// are complete. These include nonblocking accesses, which run on other threads.
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

    /// Appends an access to the sequence of collective accesses.
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
            done = accessIndependently(writes, v, first, data);
        } catch (RuntimeException e) {
            failure = StorageException.of(e);
        } finally {
            window.unlock();
        }
        agreement.agree(operation, failure);
        return done;
    }

    /// Starts [#access]. Local.
    public CompletableFuture<Long> start(String operation, boolean writes, long first, FileData data) {
        return started(() -> access(operation, writes, first, data), FileThreads.INDEPENDENT);
    }

    /// Starts [#accessAll]. Collective; does not wait for other ranks.
    public CompletableFuture<Long> startAll(String operation, boolean writes, LongSupplier first, FileData data) {
        FileView v = view;
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<?> before = enqueue(over);
        // the access uses a thread only after the preceding access has ended
        Executor inTurn = task -> before.whenComplete((_, _) -> FileThreads.COLLECTIVE.execute(task));
        return started(
                () -> {
                    try {
                        return together(operation, writes, v, first.getAsLong(), data);
                    } finally {
                        over.complete(null);
                    }
                },
                inTurn);
    }

    private CompletableFuture<Long> started(LongSupplier access, Executor threads) {
        underWay.incrementAndGet();
        CompletableFuture<Long> done = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                long bytes = access.getAsLong();
                underWay.decrementAndGet();
                done.complete(bytes);
            } catch (RuntimeException | Error e) { // rethrown to the waiting caller
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

    // ---- state of collective accesses

    /// Returns whether the views of all ranks are disjoint; false if the comparison would take long.
    /// Collective; called only in collective accesses in which the views of all ranks are ascending.
    boolean viewsAreApart(String operation, FileView v) {
        Boolean known = viewsAreApart;
        if (known == null) viewsAreApart = known = DisjointViews.agree(this, operation, v);
        return known;
    }

    /// Returns the buffer for domains of this size; null if memory is insufficient. The buffer is created at
    /// the first use, either on all ranks or on none. Collective.
    @Nullable
    CollectiveBuffer buffer(String operation, long domain) {
        if (buffer != null || noBuffer) return buffer;
        WindowPort made = ranks.allocate(operation, port, port.name(), CollectiveBuffer.bytes(domain));
        noBuffer = made == null;
        if (made != null) buffer = new CollectiveBuffer(made, domain);
        return buffer;
    }
}
