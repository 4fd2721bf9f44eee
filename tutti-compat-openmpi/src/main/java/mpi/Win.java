package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.tutti.compat.RawBuffers;
import org.tutti.mpi.Buf;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Window;
import org.tutti.mpi.Window.Assert;
import org.tutti.mpi.WindowTarget;

/// Memory that other ranks read and write: a direct buffer of the program's own, also where the original allocates it.
/// Sizes and displacement units are in elements of the buffer's class, attributes in bytes.
public final class Win implements Freeable {
    public static final int WIN_NULL = 0, FLAVOR_PRIVATE = 0, FLAVOR_SHARED = 1;

    private final Attributes attributes = new Attributes();
    private final Info info;
    private final Comm comm;
    private final Buffer base;
    private Window window;
    private Errhandler errhandler = MPI.ERRORS_ARE_FATAL;

    /// What a call does.
    private interface Action {
        void run(Window window);
    }

    /// What a call finds.
    private interface Starter {
        org.tutti.mpi.Request start(Window window);
    }

    public Win(Buffer base, int size, int dispUnit, Info info, Comm comm) throws MPIException {
        this(base, info, comm);
        if (base != null && !base.isDirect()) Data.checkDirect(base, 1);
        int bytes = base == null ? 1 : RawBuffers.elementBytes(base);
        try {
            MemorySegment all = base == null ? MemorySegment.ofArray(Data.NOTHING) : RawBuffers.whole(base);
            Buf memory = Buf.buf(all.asSlice(0, (long) size * bytes));
            window = Window.of(comm.state.open(), memory, dispUnit * bytes);
        } catch (IndexOutOfBoundsException e) {
            throw Failures.of(
                    MPI.ERR_SIZE, "MPI_ERR_SIZE: size=" + size + " is more than the buffer has", comm.state.errhandler);
        } catch (MpiException e) {
            throw comm.state.failed(e);
        }
    }

    /// The memory is the buffer's: of the original it would get another address.
    public Win(int size, int dispUnit, Info info, Comm comm, Buffer base, int flavor) throws MPIException {
        this(base, size, dispUnit, info, comm);
    }

    public Win(Info info, Comm comm) throws MPIException {
        this(null, info, comm);
        try {
            window = Window.dynamic(comm.state.open());
        } catch (MpiException e) {
            throw comm.state.failed(e);
        }
    }

    private Win(Buffer base, Info info, Comm comm) throws MPIException {
        this.base = base;
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
        } catch (MpiException e) {
            throw Failures.of(e, errhandler);
        }
    }

    private Request start(Starter starter) throws MPIException {
        Window w = there();
        try {
            return new Request(starter.start(w), errhandler);
        } catch (MpiException e) {
            throw Failures.of(e, errhandler);
        }
    }

    /// Data that is moved.
    private static Buf origin(Buffer buf, int count, Datatype type) throws MPIException {
        Data.checkDirect(buf, count);
        return Data.of(buf, count, type);
    }

    private static WindowTarget target(Datatype origin, int disp, int count, Datatype type) throws MPIException {
        checkBase(origin, type);
        return Window.at(disp, (long) count * type.scale, type.bytes);
    }

    /// Data that is combined.
    private static Buf operand(Buffer buf, int count, Datatype type) throws MPIException {
        Data.checkDirect(buf, count);
        return Data.operand(buf, count, type);
    }

    private static WindowTarget combined(Datatype origin, int disp, int count, Datatype type) throws MPIException {
        checkBase(origin, type);
        return Window.at(disp, count, type.reduced != null ? type.reduced : type.real);
    }

    private static void checkBase(Datatype origin, Datatype target) throws MPIException {
        target.checkThere();
        if (origin.base() != target.base()) {
            throw new IllegalArgumentException("the origin's datatype and the target's have different base types");
        }
    }

    public void put(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf from = origin(o, oCount, oType);
        WindowTarget to = target(oType, disp, count, type);
        run(w -> w.put(from, rank, to));
    }

    public void get(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf into = origin(o, oCount, oType);
        WindowTarget from = target(oType, disp, count, type);
        run(w -> w.get(into, rank, from));
    }

    public void accumulate(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type, Op op)
            throws MPIException {
        Buf from = operand(o, oCount, oType);
        WindowTarget to = combined(oType, disp, count, type);
        org.tutti.mpi.Op how = op.forWindows();
        run(w -> w.accumulate(from, rank, to, how));
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
        WindowTarget there = combined(oType, disp, count, type);
        org.tutti.mpi.Op how = op.forWindows();
        run(w -> w.getAccumulate(from, old, rank, there, how));
    }

    public void fetchAndOp(Buffer o, Buffer r, Datatype type, int rank, int disp, Op op) throws MPIException {
        Buf from = operand(o, op == MPI.NO_OP ? 0 : 1, type);
        Buf value = from.count() == 0 ? operand(r, 1, type) : from;
        Buf old = operand(r, 1, type);
        org.tutti.mpi.Op how = op.forWindows();
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
        WindowTarget to = target(oType, disp, count, type);
        return start(w -> w.rput(from, rank, to));
    }

    public final Request rGet(Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type)
            throws MPIException {
        Buf into = origin(o, oCount, oType);
        WindowTarget from = target(oType, disp, count, type);
        return start(w -> w.rget(into, rank, from));
    }

    public Request rAccumulate(
            Buffer o, int oCount, Datatype oType, int rank, int disp, int count, Datatype type, Op op)
            throws MPIException {
        Buf from = operand(o, oCount, oType);
        WindowTarget to = combined(oType, disp, count, type);
        org.tutti.mpi.Op how = op.forWindows();
        return start(w -> w.raccumulate(from, rank, to, how));
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
        WindowTarget there = combined(oType, disp, count, type);
        org.tutti.mpi.Op how = op.forWindows();
        return start(w -> w.rgetAccumulate(from, old, rank, there, how));
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
        } catch (MpiException e) {
            throw Failures.of(e, errhandler);
        }
    }

    public void lock(int lockType, int rank, int promise) throws MPIException {
        if (lockType != MPI.LOCK_EXCLUSIVE && lockType != MPI.LOCK_SHARED) {
            throw Failures.of(MPI.ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE: lockType=" + lockType + " is none", errhandler);
        }
        boolean alone = lockType == MPI.LOCK_EXCLUSIVE;
        Window.LockType type = alone ? Window.LockType.EXCLUSIVE : Window.LockType.SHARED;
        run(w -> w.lock(rank, type, promises(promise)));
    }

    public void unlock(int rank) throws MPIException {
        run(w -> w.unlock(rank));
    }

    public void lockAll(int promise) throws MPIException {
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

    // ---- what it is

    public void attach(Buffer base, int size) throws MPIException {
        throw Failures.unsupported(
                "Win.attach", "memory of a dynamic window is Tutti's own; make a window of the buffer");
    }

    public void detach(Buffer base) throws MPIException {
        throw Failures.unsupported(
                "Win.detach", "memory of a dynamic window is Tutti's own; make a window of the buffer");
    }

    @Override
    public void free() throws MPIException {
        run(Window::free);
        window = null;
    }

    public Group getGroup() throws MPIException {
        return new Group(there().group());
    }

    public String getName() throws MPIException {
        return there().name();
    }

    public void setName(String name) throws MPIException {
        run(w -> w.name(name));
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
        return Attributes.createKey();
    }

    public static void freeKeyval(int key) throws MPIException {
        Attributes.freeKey(key);
    }

    public Object getAttr(int key) throws MPIException {
        Window w = there();
        if (key == MPI.WIN_BASE)
            return base == null ? 0L : RawBuffers.whole(base).address();
        if (key == MPI.WIN_SIZE) return (int) w.size(comm.getRank());
        if (key == MPI.WIN_DISP_UNIT) return w.unit(comm.getRank());
        return attributes.get(key);
    }

    public void setAttr(int key, Object value) throws MPIException {
        there();
        attributes.set(key, value);
    }

    public void deleteAttr(int key) throws MPIException {
        there();
        attributes.delete(key);
    }
}
