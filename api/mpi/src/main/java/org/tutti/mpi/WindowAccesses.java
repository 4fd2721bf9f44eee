package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.Access;
import org.tutti.spi.Access.Kind;
import org.tutti.spi.WindowPort;
import org.tutti.spi.type.ElementType;

/// The chapter of [Window] on accesses: what a rank puts to a target's memory, gets from it, and combines
/// there. MPI 4.1, section 12.3.
///
/// A target is a rank, or [Comm#PROC_NULL]: then nothing is done. Where in its memory is a displacement in
/// units of the *target's*; there lie as many elements of the same type as the buffer describes, or what
/// [Window#at] says. Accesses need an epoch at the target. A buffer may be used again when the call returns.
/// What was put is there for sure after the end of the epoch or a flush; until then another access to the
/// same bytes is a mistake of the program, unless both are atomic.
///
/// Accumulates are atomic element by element, among each other, for elements of one predefined type, and
/// those of one rank to one place happen in order (section 12.7.1). Their operations are the predefined ones
/// with [Op#REPLACE] and [Op#NO_OP]. The forms of one value return when they are complete at the target, as
/// after a flush.
///
/// ## Errors
///
/// Beside what a method names: `ERR_RANK` when the target is no rank; `ERR_RMA_SYNC` when no epoch is open
/// there; `ERR_DISP` when the displacement is negative; `ERR_RMA_RANGE` when the data does not lie in the
/// target's memory; `ERR_TYPE` when the types of both sides differ; `ERR_TRUNCATE` when one has no room for
/// the other; `ERR_BUFFER` when there is no buffer, or the buffer and the result overlap; `ERR_WIN`
/// when the window is closed.
abstract sealed class WindowAccesses extends WindowHandle permits Window {
    WindowAccesses(Mpi mpi, WindowPort window) {
        super(mpi, window);
    }

    // ---- put and get

    /// As [#put(Buf, int, long)], to the beginning of the target's memory.
    ///
    /// @throws MpiException as [#put(Buf, int, long)]
    public void put(Buf buf, int target) {
        put("put", buf, target, 0, null);
    }

    /// Stores data in the target's memory, from a displacement on. Local. `MPI_Put`, MPI 4.1, section 12.3.1.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public void put(Buf buf, int target, long displacement) {
        put("put", buf, target, displacement, null);
    }

    /// As [#put(Buf, int, long)], to where `there` says, which may have room for more.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public void put(Buf buf, int target, WindowTarget there) {
        put("put", buf, target, 0, CommHandle.given("put", "there", there));
    }

    private void put(String operation, Buf buf, int target, long displacement, @Nullable WindowTarget there) {
        WindowCalls calls = begin(operation);
        checkOrigin(operation, "the buffer", buf);
        Access a = access(operation, Kind.PUT, target);
        if (a == null) return;
        placeOrigin(a, displacement, there, buf);
        buf.place(a.origin);
        run(calls, a);
    }

    /// As [#get(Buf, int, long)], from the beginning of the target's memory.
    ///
    /// @throws MpiException as [#get(Buf, int, long)]
    public void get(Buf buf, int target) {
        get("get", buf, target, 0, null);
    }

    /// Loads data from the target's memory, from a displacement on. Local. `MPI_Get`, MPI 4.1, section
    /// 12.3.2.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public void get(Buf buf, int target, long displacement) {
        get("get", buf, target, displacement, null);
    }

    /// As [#get(Buf, int, long)], all that `there` says and no more: what else the buffer has stays.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public void get(Buf buf, int target, WindowTarget there) {
        get("get", buf, target, 0, CommHandle.given("get", "there", there));
    }

    private void get(String operation, Buf buf, int target, long displacement, @Nullable WindowTarget there) {
        WindowCalls calls = begin(operation);
        checkResult(operation, "the buffer", buf);
        Access a = access(operation, Kind.GET, target);
        if (a == null) return;
        placeResult(a, displacement, there, buf);
        buf.place(a.result);
        run(calls, a);
        bringHome(a, buf);
    }

    // ---- accumulates

    /// As [#accumulate(Buf, int, long, Op)], at the beginning of the target's memory.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public void accumulate(Buf buf, int target, Op op) {
        accumulate("accumulate", buf, target, 0, null, op);
    }

    /// Combines data with the target's, which becomes `there[i] op buf[i]`. Local. `MPI_Accumulate`, MPI 4.1,
    /// section 12.3.4.
    ///
    /// @throws MpiException as [WindowAccesses] says; `ERR_OP` when `op` is not predefined, or not for the
    ///     type; `ERR_TYPE` when elements consist of several types
    public void accumulate(Buf buf, int target, long displacement, Op op) {
        accumulate("accumulate", buf, target, displacement, null, op);
    }

    /// As [#accumulate(Buf, int, long, Op)], where `there` says.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public void accumulate(Buf buf, int target, WindowTarget there, Op op) {
        accumulate("accumulate", buf, target, 0, CommHandle.given("accumulate", "there", there), op);
    }

    private void accumulate(
            String operation, Buf buf, int target, long displacement, @Nullable WindowTarget there, Op op) {
        WindowCalls calls = begin(operation);
        Access a = combines(operation, Kind.ACCUMULATE, buf, target, op);
        if (a == null) return;
        placeOrigin(a, displacement, there, buf);
        buf.place(a.origin);
        run(calls, a);
    }

    /// As [#accumulate(Buf, int, long, Op)], and returns in `result` what was there before. With [Op#NO_OP]
    /// it is an atomic get: `buf` may be [Buf#NONE], and no byte of it is read. Local.
    /// `MPI_Get_accumulate`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public void getAccumulate(Buf buf, Buf result, int target, long displacement, Op op) {
        getAccumulate("getAccumulate", buf, result, target, displacement, null, op);
    }

    /// As [#getAccumulate(Buf, Buf, int, long, Op)], where `there` says.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public void getAccumulate(Buf buf, Buf result, int target, WindowTarget there, Op op) {
        getAccumulate("getAccumulate", buf, result, target, 0, CommHandle.given("getAccumulate", "there", there), op);
    }

    private void getAccumulate(
            String operation,
            Buf given,
            Buf result,
            int target,
            long displacement,
            @Nullable WindowTarget there,
            Op op) {
        WindowCalls calls = begin(operation);
        Buf buf = operandOf(given, result, op);
        Access a = combines(operation, Kind.GET_ACCUMULATE, buf, target, op);
        checkResultOf(operation, buf, result);
        if (op != Op.NO_OP) checkApart(operation, buf, result);
        if (a == null) return;
        placeOrigin(a, displacement, there, buf);
        buf.place(a.origin);
        result.place(a.result);
        run(calls, a);
        bringHome(a, result);
    }

    /// As [#getAccumulate(Buf, Buf, int, long, Op)], of one element. Local. `MPI_Fetch_and_op`, MPI 4.1,
    /// section 12.3.4.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]; `ERR_COUNT` when the buffers describe
    ///     anything but one element of a predefined type
    public void fetchAndOp(Buf buf, Buf result, int target, long displacement, Op op) {
        checkOne("fetchAndOp", operandOf(buf, result, op));
        getAccumulate("fetchAndOp", buf, result, target, displacement, null, op);
    }

    /// Combines `value` with an element of the target, and returns what it was before: [#fetchAndOp(Buf, Buf,
    /// int, long, Op)] and a flush. 0 when the target is nobody. Local.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public long fetchAndOp(long value, int target, long displacement, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        s.scalarOut.set(JAVA_LONG, 0, 0);
        fetchOne(s, Datatype.LONG, target, displacement, op);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    /// As [#fetchAndOp(long, int, long, Op)].
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public int fetchAndOp(int value, int target, long displacement, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        s.scalarOut.set(JAVA_INT, 0, 0);
        fetchOne(s, Datatype.INT, target, displacement, op);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    /// As [#fetchAndOp(long, int, long, Op)].
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public double fetchAndOp(double value, int target, long displacement, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        s.scalarOut.set(JAVA_DOUBLE, 0, 0);
        fetchOne(s, Datatype.DOUBLE, target, displacement, op);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    /// As [#fetchAndOp(long, int, long, Op)].
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public float fetchAndOp(float value, int target, long displacement, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_FLOAT, 0, value);
        s.scalarOut.set(JAVA_FLOAT, 0, 0);
        fetchOne(s, Datatype.FLOAT, target, displacement, op);
        return s.scalarOut.get(JAVA_FLOAT, 0);
    }

    private void fetchOne(Scratch s, Datatype type, int target, long displacement, Op op) {
        WindowCalls calls = begin("fetchAndOp");
        checkOp("fetchAndOp", op, type, true);
        Access a = access("fetchAndOp", Kind.GET_ACCUMULATE, target);
        if (a == null) return;
        place(a, displacement, type.elements().bytes());
        runOne(calls, s, a, type, op);
    }

    /// Stores the one element of `buf` in the target's memory if that of `compare` is there, bit by bit;
    /// returns in `result` what was there. Atomic as an accumulate. Local. `MPI_Compare_and_swap`, MPI 4.1,
    /// section 12.3.4.
    ///
    /// @throws MpiException as [WindowAccesses] says; `ERR_COUNT` when the buffers describe anything but one
    ///     element of a predefined type; `ERR_TYPE` when that is neither a whole number nor `BOOLEAN`
    public void compareAndSwap(Buf buf, Buf compare, Buf result, int target, long displacement) {
        WindowCalls calls = begin("compareAndSwap");
        checkOrigin("compareAndSwap", "the buffer", buf);
        checkOrigin("compareAndSwap", "compare", compare);
        checkResult("compareAndSwap", "result", result);
        checkOne("compareAndSwap", buf);
        checkOne("compareAndSwap", compare);
        checkOne("compareAndSwap", result);
        checkSwappable(buf.type());
        checkTypes("compareAndSwap", "the buffer", buf.type(), "compare", compare.type(), 1);
        checkTypes("compareAndSwap", "the buffer", buf.type(), "result", result.type(), 1);
        checkApart("compareAndSwap", buf, result);
        Access a = access("compareAndSwap", Kind.COMPARE_AND_SWAP, target);
        if (a == null) return;
        place(a, displacement, buf);
        a.type = buf.type().elements();
        buf.place(a.origin);
        compare.place(a.compare);
        result.place(a.result);
        run(calls, a);
        bringHome(a, result);
    }

    /// Stores `value` in the target's memory if `compare` is there, and returns what was there:
    /// [#compareAndSwap(Buf, Buf, Buf, int, long)] and a flush. 0 when the target is nobody. Local.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public long compareAndSwap(long value, long compare, int target, long displacement) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        s.scalarIn.set(JAVA_LONG, Long.BYTES, compare);
        s.scalarOut.set(JAVA_LONG, 0, 0);
        swapOne(s, Datatype.LONG, target, displacement);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    /// As [#compareAndSwap(long, long, int, long)].
    ///
    /// @throws MpiException as [WindowAccesses] says
    public int compareAndSwap(int value, int compare, int target, long displacement) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        s.scalarIn.set(JAVA_INT, Long.BYTES, compare);
        s.scalarOut.set(JAVA_INT, 0, 0);
        swapOne(s, Datatype.INT, target, displacement);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    private void swapOne(Scratch s, Datatype type, int target, long displacement) {
        WindowCalls calls = begin("compareAndSwap");
        Access a = access("compareAndSwap", Kind.COMPARE_AND_SWAP, target);
        if (a == null) return;
        place(a, displacement, type.elements().bytes());
        a.compare.at(s.scalarCompareMemory, null);
        runOne(calls, s, a, type, null);
    }

    private void runOne(WindowCalls calls, Scratch s, Access a, Datatype type, @Nullable Op op) {
        a.type = type.elements();
        a.op = op == null ? null : op.reduction();
        a.origin.at(s.scalarInMemory, null);
        a.result.at(s.scalarOutMemory, null);
        int target = a.target;
        run(calls, a);
        calls.flush(window, target);
    }

    // ---- with requests

    /// As [#put(Buf, int, long)], with a request that is complete when the buffer may be used again. The data
    /// may not have reached the target then. Only in an epoch of [Window#lock] or [Window#lockAll].
    /// `MPI_Rput`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public Request rput(Buf buf, int target, long displacement) {
        checkPassive("rput", target);
        put("rput", buf, target, displacement, null);
        return done(buf);
    }

    /// As [#rput(Buf, int, long)], to where `there` says.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public Request rput(Buf buf, int target, WindowTarget there) {
        checkPassive("rput", target);
        put("rput", buf, target, 0, CommHandle.given("rput", "there", there));
        return done(buf);
    }

    /// As [#get(Buf, int, long)], with a request that is complete when the data is in the buffer. Only in an
    /// epoch of [Window#lock] or [Window#lockAll]. `MPI_Rget`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public Request rget(Buf buf, int target, long displacement) {
        checkPassive("rget", target);
        get("rget", buf, target, displacement, null);
        return done(buf);
    }

    /// As [#rget(Buf, int, long)], from where `there` says.
    ///
    /// @throws MpiException as [WindowAccesses] says
    public Request rget(Buf buf, int target, WindowTarget there) {
        checkPassive("rget", target);
        get("rget", buf, target, 0, CommHandle.given("rget", "there", there));
        return done(buf);
    }

    /// As [#accumulate(Buf, int, long, Op)], with a request as of [#rput(Buf, int, long)]. `MPI_Raccumulate`,
    /// MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public Request raccumulate(Buf buf, int target, long displacement, Op op) {
        checkPassive("raccumulate", target);
        accumulate("raccumulate", buf, target, displacement, null, op);
        return done(buf);
    }

    /// As [#raccumulate(Buf, int, long, Op)], where `there` says.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public Request raccumulate(Buf buf, int target, WindowTarget there, Op op) {
        checkPassive("raccumulate", target);
        accumulate("raccumulate", buf, target, 0, CommHandle.given("raccumulate", "there", there), op);
        return done(buf);
    }

    /// As [#getAccumulate(Buf, Buf, int, long, Op)], with a request that is complete when the data is in
    /// `result`. `MPI_Rget_accumulate`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public Request rgetAccumulate(Buf buf, Buf result, int target, long displacement, Op op) {
        checkPassive("rgetAccumulate", target);
        getAccumulate("rgetAccumulate", buf, result, target, displacement, null, op);
        return done(result);
    }

    /// As [#rgetAccumulate(Buf, Buf, int, long, Op)], where `there` says.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public Request rgetAccumulate(Buf buf, Buf result, int target, WindowTarget there, Op op) {
        checkPassive("rgetAccumulate", target);
        getAccumulate("rgetAccumulate", buf, result, target, 0, CommHandle.given("rgetAccumulate", "there", there), op);
        return done(result);
    }

    private Request done(Buf buf) {
        return new Request(mpi, buf, Status.empty());
    }

    // ---- checks

    private void checkPassive(String operation, int target) {
        begin(operation);
        if (target == Comm.PROC_NULL) return;
        checkTarget(operation, target);
        check(epochs.passive(operation, target));
    }

    /// Where `there` says, else as `buf` describes it from the displacement on.
    private void placeOrigin(Access a, long displacement, @Nullable WindowTarget there, Buf buf) {
        if (there == null) {
            place(a, displacement, buf);
            return;
        }
        checkTypes(a.operation, "the buffer", buf.type(), "the target", there.type, buf.lengthBytes());
        checkFits(a.operation, "the buffer", buf.lengthBytes(), "the target", there.lengthBytes());
        place(a, there, buf.lengthBytes());
    }

    /// The same for what is got.
    private void placeResult(Access a, long displacement, @Nullable WindowTarget there, Buf buf) {
        if (there == null) {
            place(a, displacement, buf);
            return;
        }
        checkTypes(a.operation, "the buffer", buf.type(), "the target", there.type, there.lengthBytes());
        checkFits(a.operation, "the target", there.lengthBytes(), "the buffer", buf.lengthBytes());
        place(a, there, there.lengthBytes());
    }

    /// Of a get, the result says how much it is.
    private static Buf operandOf(Buf given, Buf result, Op op) {
        return op == Op.NO_OP && given == Buf.NONE ? result : given;
    }

    private @Nullable Access combines(String operation, Kind kind, Buf buf, int target, Op op) {
        checkOrigin(operation, "the buffer", buf);
        ElementType type = checkOp(operation, op, buf.type(), kind != Kind.ACCUMULATE);
        Access a = access(operation, kind, target);
        if (a == null) return null;
        a.type = type;
        a.op = op.reduction();
        return a;
    }

    private void checkResultOf(String operation, Buf buf, Buf result) {
        checkResult(operation, "result", result);
        checkTypes(operation, "the buffer", buf.type(), "result", result.type(), buf.lengthBytes());
        checkFits(operation, "the buffer", buf.lengthBytes(), "result", result.lengthBytes());
    }

    /// The result may be written before the buffer has been read (MPI 4.1, section 12.3.4). As for
    /// [CommHandle#checkDisjoint], gaps may alternate, and the bindings that the drop-ins replace accept this.
    private void checkApart(String operation, Buf buf, Buf result) {
        long bytes = buf.lengthBytes();
        if (!CommHandle.overlap(buf, bytes, result, 0, bytes) || UserLine.isOfDropIn()) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, "the buffer and result overlap in memory; pass two buffers", port);
    }

    private void checkOne(String operation, Buf buf) {
        CommHandle.given(operation, "buf", buf, port);
        if (buf.count() == 1 && buf.type().isPredefined()) return;
        throw MpiException.argument(
                ErrorClass.ERR_COUNT,
                operation,
                buf + " is not one element of a predefined type; use getAccumulate for more",
                port);
    }

    private void checkSwappable(Datatype type) {
        if (type.elements().isWholeNumber() || type == Datatype.BOOLEAN) return;
        throw MpiException.argument(
                ErrorClass.ERR_TYPE, "compareAndSwap", type + " is neither a whole number nor BOOLEAN", port);
    }

    private static void bringHome(Access a, Buf buf) {
        buf.fromMemory(a.result.memory, 0, a.bytes);
    }
}
