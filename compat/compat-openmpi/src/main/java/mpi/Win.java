package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Buf;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Window;
import org.tutti.mpi.Window.Assert;
import org.tutti.mpi.WindowTarget;
import org.tutti.mpi.dropin.JobBuffers;
import org.tutti.mpi.dropin.RawBuffers;

/// Memory that other ranks read and write: a direct buffer of the program. If the original would allocate the
/// memory of a window, Tutti uses the buffer that the program passes; if that buffer is too small, Tutti
/// allocates separate memory, which the program can reach only by puts, gets and accumulates. Sizes and
/// displacement units are in elements of the buffer's class, attributes in bytes.
public final class Win implements Freeable {
    public static final int WIN_NULL = 0, FLAVOR_PRIVATE = 0, FLAVOR_SHARED = 1;

    private final Attributes attributes = new Attributes(Attributes.Kind.WINDOW);
    private final Info info;
    private final Comm comm;
    private final Buffer base;
    private final int size;
    private final int elementBytes;
    private MemorySegment memory = MemorySegment.ofArray(Data.NOTHING);
    private Window window;
    private Errhandler errhandler = MPI.ERRORS_ARE_FATAL;

    /// A call without a result.
    private interface Action {
        void run(Window window);
    }

    /// A call that starts an access.
    private interface Starter {
        org.tutti.mpi.Request start(Window window);
    }

    /// Creates a window, which may be declared larger than the buffer; accesses beyond the buffer's end are
    /// errors.
    public Win(Buffer base, int size, int dispUnit, Info info, Comm comm) throws MPIException {
        this(base, size, info, comm);
        if (base != null && !base.isDirect()) Data.checkDirect(base, 1);
        MemorySegment all = base == null ? MemorySegment.ofArray(Data.NOTHING) : RawBuffers.whole(base);
        create(all, dispUnit);
    }

    /// Creates a window with memory allocated by MPI. Other ranks access `base` if it can hold `size` elements;
    /// otherwise they access separate memory, which the program can reach only by puts, gets and accumulates.
    public Win(int size, int dispUnit, Info info, Comm comm, Buffer base, int flavor) throws MPIException {
        this(base, size, info, comm);
        Data.checkDirect(base, 1);
        long bytes = Math.max(0, (long) size * elementBytes);
        boolean fits = base != null && RawBuffers.whole(base).byteSize() >= bytes;
        create(RawBuffers.whole(fits ? base : MPI.newByteBuffer(Math.toIntExact(bytes))), dispUnit);
    }

    private void create(MemorySegment all, int dispUnit) throws MPIException {
        if (size < 0 || base == null && size > 0) {
            throw Failures.of(
                    MPI.ERR_SIZE,
                    "MPI_ERR_SIZE: size=" + size + (base == null ? " of no buffer" : " is negative"),
                    comm.state.errhandler);
        }
        memory = all.asSlice(0, Math.min(all.byteSize(), (long) size * elementBytes));
        try {
            window = JobBuffers.window(comm.state.oneGroup(), memory, Math.multiplyExact(dispUnit, elementBytes));
        } catch (MpiException e) {
            throw comm.state.failed(e);
        }
    }

    public Win(Info info, Comm comm) throws MPIException {
        this(null, 0, info, comm);
        try {
            window = Window.dynamic(comm.state.oneGroup());
        } catch (MpiException | Mistake e) {
            throw comm.state.failed(e);
        }
    }

    private Win(Buffer base, int size, Info info, Comm comm) throws MPIException {
        this.base = base;
        this.size = size;
        elementBytes = base == null ? 1 : RawBuffers.elementBytes(base);
        this.info = Info.of(Info.map(info));
        this.comm = comm;
    }

    private Window there() throws MPIException {
        LifeCycle.mpi();
        Window w = window;
        if (w == null) throw Failures.of(MPI.ERR_WIN, "MPI_ERR_WIN: the window was freed", errhandler);
        return w;
    }

    private void run(Action action) throws MPIException {
        Window w = there();
        try {
            action.run(w);
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    /// Starts an access with a request. MPI permits this only in passive epochs, but the original reports no
    /// error in other epochs. In other epochs, this method calls `same`, which is the same access without a
    /// request; the access is complete on this rank when `same` returns.
    private Request start(Starter starter, Action same) throws MPIException {
        Window w = there();
        try {
            return new Request(starter.start(w), errhandler);
        } catch (MpiException e) {
            if (e.errorClass() != ErrorClass.ERR_RMA_SYNC) throw Failures.of(e, errhandler);
            run(same);
            return new Request(LifeCycle.mpi().self().isend(Buf.NONE, MPI.PROC_NULL), errhandler);
        }
    }

    /// Returns the buffer of a put or a get.
    private Buf origin(Buffer buf, int count, Datatype type) throws MPIException {
        Data.checkDirect(buf, count);
        try {
            return Data.of(buf, count, type);
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    /// The location of the target's data.
    private record Place(int rank, int disp, long count, org.tutti.mpi.Datatype type) {
        WindowTarget of(Window w) {
            return w.at(rank, disp, count, type);
        }
    }

    private Place target(Datatype origin, int rank, int disp, int count, Datatype type) throws MPIException {
        checkBase(origin, type);
        return new Place(rank, disp, (long) count * type.scale, type.bytes);
    }

    /// Returns the operand of an accumulate, or the buffer for the result.
    private Buf operand(Buffer buf, int count, Datatype type) throws MPIException {
        Data.checkDirect(buf, count);
        try {
            return Data.operand(buf, count, type);
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    private org.tutti.mpi.Op predefined(Op op) throws MPIException {
        try {
            return op.forWindows();
        } catch (Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    private Place combined(Datatype origin, int rank, int disp, int count, Datatype type) throws MPIException {
        checkBase(origin, type);
        return new Place(rank, disp, count, type.reduced != null ? type.reduced : type.real);
    }

    private void checkBase(Datatype origin, Datatype target) throws MPIException {
        try {
            target.checkUsable();
        } catch (Mistake e) {
            throw Failures.of(e, errhandler);
        }
        if (origin.base() != target.base()) {
            throw new IllegalArgumentException("the origin's datatype and the target's have different base types");
        }
    }

    public void put(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf from = origin(o, oCount, oType);
        Place to = target(oType, rank, disp, count, type);
        run(w -> to.of(w).put(from));
    }

    public void get(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf into = origin(o, oCount, oType);
        Place from = target(oType, rank, disp, count, type);
        run(w -> from.of(w).get(into));
    }

    public void accumulate(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type, Op op)
            throws MPIException {
        Buf from = operand(o, oCount, oType);
        Place to = combined(oType, rank, disp, count, type);
        org.tutti.mpi.Op how = predefined(op);
        run(w -> to.of(w).accumulate(from, how));
    }

    public void getAccumulate(
            Buffer o,
            int oCount,
            Datatype oType,
            Buffer r,
            int rCount,
            Datatype rType,
            int rank,
            int disp,
            int count,
            Datatype type,
            Op op)
            throws MPIException {
        Buf from = operand(o, oCount, oType);
        Buf old = operand(r, rCount, rType);
        Place there = combined(oType, rank, disp, count, type);
        org.tutti.mpi.Op how = predefined(op);
        run(w -> there.of(w).getAccumulate(from, old, how));
    }

    public void fetchAndOp(Buffer o, Buffer r, Datatype type, int rank, int disp, Op op) throws MPIException {
        Buf from = operand(o, op == MPI.NO_OP ? 0 : 1, type);
        Buf value = from.count() == 0 ? operand(r, 1, type) : from;
        Buf old = operand(r, 1, type);
        org.tutti.mpi.Op how = predefined(op);
        run(w -> w.fetchAndOp(value, old, rank, disp, how));
    }

    public void compareAndSwap(Buffer o, Buffer compare, Buffer r, Datatype type, int rank, int disp)
            throws MPIException {
        Buf value = operand(o, 1, type);
        Buf expected = operand(compare, 1, type);
        Buf old = operand(r, 1, type);
        run(w -> w.compareAndSwap(value, expected, old, rank, disp));
    }

    public final Request rPut(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf from = origin(o, oCount, oType);
        Place to = target(oType, rank, disp, count, type);
        return start(w -> to.of(w).rput(from), w -> to.of(w).put(from));
    }

    public final Request rGet(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf into = origin(o, oCount, oType);
        Place from = target(oType, rank, disp, count, type);
        return start(w -> from.of(w).rget(into), w -> from.of(w).get(into));
    }

    public Request rAccumulate(
            Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type, Op op)
            throws MPIException {
        Buf from = operand(o, oCount, oType);
        Place to = combined(oType, rank, disp, count, type);
        org.tutti.mpi.Op how = predefined(op);
        return start(w -> to.of(w).raccumulate(from, how), w -> to.of(w).accumulate(from, how));
    }

    public Request rGetAccumulate(
            Buffer o,
            int oCount,
            Datatype oType,
            Buffer r,
            int rCount,
            Datatype rType,
            int rank,
            int disp,
            int count,
            Datatype type,
            Op op)
            throws MPIException {
        Buf from = operand(o, oCount, oType);
        Buf old = operand(r, rCount, rType);
        Place there = combined(oType, rank, disp, count, type);
        org.tutti.mpi.Op how = predefined(op);
        return start(
                w -> there.of(w).rgetAccumulate(from, old, how),
                w -> there.of(w).getAccumulate(from, old, how));
    }

    // ---- epochs

    private static Assert[] promises(int bits) {
        List<Assert> all = new ArrayList<>();
        if ((bits & MPI.MODE_NOCHECK) != 0) all.add(Assert.NOCHECK);
        if ((bits & MPI.MODE_NOPRECEDE) != 0) all.add(Assert.NOPRECEDE);
        if ((bits & MPI.MODE_NOPUT) != 0) all.add(Assert.NOPUT);
        if ((bits & MPI.MODE_NOSTORE) != 0) all.add(Assert.NOSTORE);
        if ((bits & MPI.MODE_NOSUCCEED) != 0) all.add(Assert.NOSUCCEED);
        return all.toArray(Assert[]::new);
    }

    public void fence(int promise) throws MPIException {
        run(w -> w.fence(promises(promise)));
    }

    public void start(Group group, int promise) throws MPIException {
        org.tutti.mpi.Group targets = group.there();
        run(w -> w.start(targets, promises(promise)));
    }

    public void complete() throws MPIException {
        run(Window::complete);
    }

    public void post(Group group, int promise) throws MPIException {
        org.tutti.mpi.Group origins = group.there();
        run(w -> w.post(origins, promises(promise)));
    }

    public void waitFor() throws MPIException {
        run(Window::await);
    }

    public boolean test() throws MPIException {
        try {
            return there().test();
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    /// Checks that the program has not asserted `no_locks`.
    private void checkLocksAllowed(String operation) throws MPIException {
        if (!Boolean.parseBoolean(info.get("no_locks"))) return;
        throw Failures.of(
                MPI.ERR_RMA_SYNC,
                "MPI_ERR_RMA_SYNC: " + operation + ": the window was created with no_locks=true",
                errhandler);
    }

    public void lock(int lockType, int rank, int promise) throws MPIException {
        checkLocksAllowed("lock");
        if (lockType != MPI.LOCK_EXCLUSIVE && lockType != MPI.LOCK_SHARED) {
            throw Failures.of(
                    MPI.ERR_LOCKTYPE,
                    "MPI_ERR_LOCKTYPE: lockType=" + lockType + "; use MPI.LOCK_SHARED or LOCK_EXCLUSIVE",
                    errhandler);
        }
        boolean isExclusive = lockType == MPI.LOCK_EXCLUSIVE;
        Window.LockType type = isExclusive ? Window.LockType.EXCLUSIVE : Window.LockType.SHARED;
        run(w -> w.lock(rank, type, promises(promise)));
    }

    public void unlock(int rank) throws MPIException {
        run(w -> w.unlock(rank));
    }

    public void lockAll(int promise) throws MPIException {
        checkLocksAllowed("lockAll");
        run(w -> w.lockAll(promises(promise)));
    }

    public void unlockAll() throws MPIException {
        run(Window::unlockAll);
    }

    public void flush(int rank) throws MPIException {
        run(w -> w.flush(rank));
    }

    public void flushAll() throws MPIException {
        run(Window::flushAll);
    }

    public void flushLocal(int rank) throws MPIException {
        run(w -> w.flushLocal(rank));
    }

    public void flushLocalAll() throws MPIException {
        run(Window::flushLocalAll);
    }

    public void sync() throws MPIException {
        run(Window::sync);
    }

    // ---- properties

    public void attach(Buffer base, int size) throws MPIException {
        throw Failures.unsupported(
                "Win.attach", "memory of a dynamic window must be allocated by Tutti; create a window of the buffer");
    }

    public void detach(Buffer base) throws MPIException {
        throw Failures.unsupported(
                "Win.detach", "memory of a dynamic window must be allocated by Tutti; create a window of the buffer");
    }

    @Override
    public void free() throws MPIException {
        run(Window::free);
        window = null;
        attributes.clear();
    }

    public Group getGroup() throws MPIException {
        return new Group(there().group());
    }

    public String getName() throws MPIException {
        return there().name();
    }

    public void setName(String name) throws MPIException {
        run(w -> w.setName(name));
    }

    public Info getInfo() throws MPIException {
        there();
        return info.dup();
    }

    public void setInfo(Info hints) throws MPIException {
        there();
        for (var hint : Info.map(hints).entrySet()) info.set(hint.getKey(), hint.getValue());
    }

    public Errhandler getErrhandler() throws MPIException {
        there();
        return errhandler;
    }

    public void setErrhandler(Errhandler handler) throws MPIException {
        there();
        errhandler = handler;
    }

    public void callErrhandler(int code) throws MPIException {
        Failures.called(code, errhandler);
    }

    public static int createKeyval() throws MPIException {
        return Attributes.createKey(Attributes.Kind.WINDOW);
    }

    public static void freeKeyval(int key) throws MPIException {
        Attributes.freeKey(Attributes.Kind.WINDOW, key);
    }

    public Object getAttr(int key) throws MPIException {
        Window w = there();
        if (key == MPI.WIN_BASE) return base == null ? 0L : memory.address();
        if (key == MPI.WIN_SIZE) return Math.toIntExact((long) size * elementBytes);
        if (key == MPI.WIN_DISP_UNIT) return w.unitBytes(comm.getRank());
        try {
            return attributes.get(key);
        } catch (Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    public void setAttr(int key, Object value) throws MPIException {
        there();
        try {
            attributes.set(key, value);
        } catch (Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    public void deleteAttr(int key) throws MPIException {
        there();
        try {
            attributes.delete(key);
        } catch (Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }
}
