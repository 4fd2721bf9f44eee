package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.Access;
import org.tutti.spi.Access.Kind;
import org.tutti.spi.WindowPort;
import org.tutti.spi.type.ElementType;

/// The accesses of a [Window], with the rules and errors of [WindowTarget].
abstract sealed class WindowAccesses extends WindowHandle permits Window {
    /// The types for which there are operations on one value.
    private static final List<Datatype> VALUES = List.of(Datatype.LONG, Datatype.INT, Datatype.DOUBLE, Datatype.FLOAT);

    WindowAccesses(Mpi mpi, WindowPort window) {
        super(mpi, window);
    }

    /// Returns the position `displacement` in the memory of `target`, a rank or [Comm#PROC_NULL]. Arguments are
    /// checked by the operations of the result. The result can be reused. Local. MPI 4.1, section 12.3.
    ///
    ///     long ticket = window.at(0, COUNTER).fetchAndAdd(1L);
    public WindowTarget at(int target, long displacement) {
        return new WindowTarget(this, target, displacement, null);
    }

    /// Like [#at(int, long)], with a layout of the data at the target: `count` elements of `type`. The layout
    /// may differ from that of the buffer if the basic types are the same. Local. MPI 4.1, section 12.3.
    ///
    /// @throws MpiException `ERR_COUNT` if `count` is negative; `ERR_ARG` if `type` is null
    public WindowTarget at(int target, long displacement, long count, Datatype type) {
        return new WindowTarget(this, target, displacement, new TargetLayout("at", count, type, port));
    }

    // ---- put and get

    /// Like [#put(Buf, int, long)], at the beginning of the target's memory.
    ///
    /// @throws MpiException as [#put(Buf, int, long)]
    public void put(Buf buf, int target) {
        put("put", buf, target, 0, null);
    }

    /// Stores data in the target's memory, starting at a displacement. Local. `MPI_Put`, MPI 4.1, section
    /// 12.3.1.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public void put(Buf buf, int target, long displacement) {
        put("put", buf, target, displacement, null);
    }

    final void put(String operation, Buf buf, int target, long displacement, @Nullable TargetLayout there) {
        WindowCalls calls = begin(operation);
        checkOrigin(operation, "the buffer", buf);
        Access a = access(operation, Kind.PUT, target);
        if (a == null) return;
        placeOrigin(a, displacement, there, buf);
        buf.place(a.origin);
        run(calls, a);
    }

    /// Like [#get(Buf, int, long)], at the beginning of the target's memory.
    ///
    /// @throws MpiException as [#get(Buf, int, long)]
    public void get(Buf buf, int target) {
        get("get", buf, target, 0, null);
    }

    /// Loads data from the target's memory, starting at a displacement. Local. `MPI_Get`, MPI 4.1, section
    /// 12.3.2.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public void get(Buf buf, int target, long displacement) {
        get("get", buf, target, displacement, null);
    }

    final void get(String operation, Buf buf, int target, long displacement, @Nullable TargetLayout there) {
        WindowCalls calls = begin(operation);
        checkResult(operation, "the buffer", buf);
        Access a = access(operation, Kind.GET, target);
        if (a == null) return;
        placeResult(a, displacement, there, buf);
        buf.place(a.result);
        run(calls, a);
        copyBack(a, buf);
    }

    // ---- accumulates

    /// Like [#accumulate(Buf, int, long, Op)], at the beginning of the target's memory.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public void accumulate(Buf buf, int target, Op op) {
        accumulate("accumulate", buf, target, 0, null, op);
    }

    /// Combines `buf` with the data at the target: element i of the target's data, `there[i]`, becomes
    /// `there[i] op buf[i]`. Local. `MPI_Accumulate`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes; `ERR_OP` if `op` is not predefined, or is not defined
    ///     for the type; `ERR_TYPE` if elements consist of several types
    public void accumulate(Buf buf, int target, long displacement, Op op) {
        accumulate("accumulate", buf, target, displacement, null, op);
    }

    final void accumulate(
            String operation, Buf buf, int target, long displacement, @Nullable TargetLayout there, Op op) {
        WindowCalls calls = begin(operation);
        Access a = combines(operation, Kind.ACCUMULATE, buf, target, op);
        if (a == null) return;
        placeOrigin(a, displacement, there, buf);
        buf.place(a.origin);
        run(calls, a);
    }

    /// Combines data as [#accumulate(Buf, int, long, Op)] does, and returns the previous data in `result`. With
    /// [Op#NO_OP], this is an atomic get: `buf` is not read, and may be [Buf#NONE]. Local.
    /// `MPI_Get_accumulate`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public void getAccumulate(Buf buf, Buf result, int target, long displacement, Op op) {
        getAccumulate("getAccumulate", buf, result, target, displacement, null, op);
    }

    final void getAccumulate(
            String operation,
            Buf given,
            Buf result,
            int target,
            long displacement,
            @Nullable TargetLayout there,
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
        copyBack(a, result);
    }

    /// Combines one element as [#getAccumulate(Buf, Buf, int, long, Op)] does. Local. `MPI_Fetch_and_op`, MPI
    /// 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]; `ERR_COUNT` unless the buffers describe one
    ///     element of a predefined type
    public void fetchAndOp(Buf buf, Buf result, int target, long displacement, Op op) {
        checkOne("fetchAndOp", operandOf(buf, result, op));
        getAccumulate("fetchAndOp", buf, result, target, displacement, null, op);
    }

    /// Stores the element of `buf` in the target's memory if the previous element equals the element of
    /// `compare`, bit by bit. Returns the previous element in `result`. The operation is atomic like an
    /// accumulate. Local. `MPI_Compare_and_swap`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] documents; `ERR_COUNT` unless the buffers describe one element of
    ///     a predefined type; `ERR_TYPE` unless the type is an integer or `BOOLEAN`
    public void compareAndSwap(Buf buf, Buf compare, Buf result, int target, long displacement) {
        WindowCalls calls = begin("compareAndSwap");
        checkOrigin("compareAndSwap", "the buffer", buf);
        checkOrigin("compareAndSwap", "compare", compare);
        checkResult("compareAndSwap", "result", result);
        checkOne("compareAndSwap", buf);
        checkOne("compareAndSwap", compare);
        checkOne("compareAndSwap", result);
        checkSwappable(buf.datatype());
        checkTypes("compareAndSwap", "the buffer", buf.datatype(), "compare", compare.datatype(), 1);
        checkTypes("compareAndSwap", "the buffer", buf.datatype(), "result", result.datatype(), 1);
        checkApart("compareAndSwap", buf, result);
        Access a = access("compareAndSwap", Kind.COMPARE_AND_SWAP, target);
        if (a == null) return;
        place(a, displacement, buf);
        a.type = buf.datatype().elements();
        buf.place(a.origin);
        compare.place(a.compare);
        result.place(a.result);
        run(calls, a);
        copyBack(a, result);
    }

    // ---- one value, for WindowTarget

    final long fetchAndOp(
            String operation, long value, int target, long displacement, @Nullable TargetLayout there, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        s.scalarOut.set(JAVA_LONG, 0, 0);
        fetchOne(operation, s, Datatype.LONG, target, displacement, there, op);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    final int fetchAndOp(
            String operation, int value, int target, long displacement, @Nullable TargetLayout there, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        s.scalarOut.set(JAVA_INT, 0, 0);
        fetchOne(operation, s, Datatype.INT, target, displacement, there, op);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    final double fetchAndOp(
            String operation, double value, int target, long displacement, @Nullable TargetLayout there, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        s.scalarOut.set(JAVA_DOUBLE, 0, 0);
        fetchOne(operation, s, Datatype.DOUBLE, target, displacement, there, op);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    final float fetchAndOp(
            String operation, float value, int target, long displacement, @Nullable TargetLayout there, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_FLOAT, 0, value);
        s.scalarOut.set(JAVA_FLOAT, 0, 0);
        fetchOne(operation, s, Datatype.FLOAT, target, displacement, there, op);
        return s.scalarOut.get(JAVA_FLOAT, 0);
    }

    private void fetchOne(
            String operation,
            Scratch s,
            Datatype type,
            int target,
            long displacement,
            @Nullable TargetLayout there,
            Op op) {
        WindowCalls calls = begin(operation);
        checkOp(operation, op, type, true);
        checkElement(operation, type, there);
        Access a = access(operation, Kind.GET_ACCUMULATE, target);
        if (a == null) return;
        place(a, displacement, type.elements().bytes());
        runOne(calls, s, a, type, op);
    }

    final long compareAndSwap(long expected, long value, int target, long displacement, @Nullable TargetLayout there) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        s.scalarIn.set(JAVA_LONG, Long.BYTES, expected);
        s.scalarOut.set(JAVA_LONG, 0, 0);
        swapOne(s, Datatype.LONG, target, displacement, there);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    final int compareAndSwap(int expected, int value, int target, long displacement, @Nullable TargetLayout there) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        s.scalarIn.set(JAVA_INT, Long.BYTES, expected);
        s.scalarOut.set(JAVA_INT, 0, 0);
        swapOne(s, Datatype.INT, target, displacement, there);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    private void swapOne(Scratch s, Datatype type, int target, long displacement, @Nullable TargetLayout there) {
        WindowCalls calls = begin("compareAndSwap");
        checkElement("compareAndSwap", type, there);
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

    /// Starts [#put(Buf, int, long)], and returns a request that is complete when the buffer can be reused. The
    /// data need not have reached the target at that time. Only in an epoch of [Window#lock] or
    /// [Window#lockAll]. `MPI_Rput`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [WindowTarget] documents
    public Request rput(Buf buf, int target, long displacement) {
        return rput(buf, target, displacement, null);
    }

    final Request rput(Buf buf, int target, long displacement, @Nullable TargetLayout there) {
        checkPassive("rput", target);
        put("rput", buf, target, displacement, there);
        return done(buf);
    }

    /// Starts [#get(Buf, int, long)] and returns a request that is complete when the data is in the buffer.
    /// Only in an epoch of [Window#lock] or [Window#lockAll]. `MPI_Rget`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [WindowTarget] documents
    public Request rget(Buf buf, int target, long displacement) {
        return rget(buf, target, displacement, null);
    }

    final Request rget(Buf buf, int target, long displacement, @Nullable TargetLayout there) {
        checkPassive("rget", target);
        get("rget", buf, target, displacement, there);
        return done(buf);
    }

    /// Starts [#accumulate(Buf, int, long, Op)] and returns a request, as [#rput(Buf, int, long)] does.
    /// `MPI_Raccumulate`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public Request raccumulate(Buf buf, int target, long displacement, Op op) {
        return raccumulate(buf, target, displacement, null, op);
    }

    final Request raccumulate(Buf buf, int target, long displacement, @Nullable TargetLayout there, Op op) {
        checkPassive("raccumulate", target);
        accumulate("raccumulate", buf, target, displacement, there, op);
        return done(buf);
    }

    /// Starts [#getAccumulate(Buf, Buf, int, long, Op)] and returns a request that is complete when the data is
    /// in `result`. `MPI_Rget_accumulate`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [#accumulate(Buf, int, long, Op)]
    public Request rgetAccumulate(Buf buf, Buf result, int target, long displacement, Op op) {
        return rgetAccumulate(buf, result, target, displacement, null, op);
    }

    final Request rgetAccumulate(
            Buf buf, Buf result, int target, long displacement, @Nullable TargetLayout there, Op op) {
        checkPassive("rgetAccumulate", target);
        getAccumulate("rgetAccumulate", buf, result, target, displacement, there, op);
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

    /// Sets the layout at the target: `there` if it is given; otherwise the layout of `buf`, starting at the
    /// displacement.
    private void placeOrigin(Access a, long displacement, @Nullable TargetLayout there, Buf buf) {
        if (there == null) {
            place(a, displacement, buf);
            return;
        }
        checkTypes(a.operation, "the buffer", buf.datatype(), "the target", there.type, buf.sizeBytes());
        checkFits(a.operation, "the buffer", buf.sizeBytes(), "the target", there.sizeBytes());
        place(a, displacement, there, buf.sizeBytes());
    }

    /// Sets the layout at the target, for an access that returns the target's data in `buf`.
    private void placeResult(Access a, long displacement, @Nullable TargetLayout there, Buf buf) {
        if (there == null) {
            place(a, displacement, buf);
            return;
        }
        checkTypes(a.operation, "the buffer", buf.datatype(), "the target", there.type, there.sizeBytes());
        checkFits(a.operation, "the target", there.sizeBytes(), "the buffer", buf.sizeBytes());
        place(a, displacement, there, there.sizeBytes());
    }

    /// Returns the buffer that determines the amount of data; for an atomic get without a buffer, this is
    /// `result`.
    private static Buf operandOf(Buf given, Buf result, Op op) {
        return op == Op.NO_OP && given == Buf.NONE ? result : given;
    }

    private @Nullable Access combines(String operation, Kind kind, Buf buf, int target, Op op) {
        checkOrigin(operation, "the buffer", buf);
        ElementType type = checkOp(operation, op, buf.datatype(), kind != Kind.ACCUMULATE);
        Access a = access(operation, kind, target);
        if (a == null) return null;
        a.type = type;
        a.op = op.reduction();
        return a;
    }

    private void checkResultOf(String operation, Buf buf, Buf result) {
        checkResult(operation, "result", result);
        checkTypes(operation, "the buffer", buf.datatype(), "result", result.datatype(), buf.sizeBytes());
        checkFits(operation, "the buffer", buf.sizeBytes(), "result", result.sizeBytes());
    }

    /// Checks that the buffer and the result do not overlap, because the result may be written before the
    /// buffer has been read (MPI 4.1, section 12.3.4). As in [Arguments#checkDisjoint], buffers with gaps and
    /// calls of a compatibility layer are not checked.
    private void checkApart(String operation, Buf buf, Buf result) {
        long bytes = buf.sizeBytes();
        if (!Arguments.overlap(buf, bytes, result, 0, bytes) || UserLine.isOfDropIn()) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, "the buffer and result overlap in memory; pass two buffers", port);
    }

    /// Checks that the layout at the target, if given, is one element of the value's type.
    private void checkElement(String operation, Datatype type, @Nullable TargetLayout there) {
        if (there == null || there.count == 1 && there.type == type) return;
        boolean isOfValues = VALUES.contains(there.type) && there.count == 1;
        String way = !isOfValues
                ? "use at(target, displacement)"
                : "pass a value of that type" + (there.type == Datatype.LONG ? ", such as 1L" : "");
        throw MpiException.argument(
                ErrorClass.ERR_TYPE,
                operation,
                "the value is one " + type + " but the target is " + there + "; " + way,
                port);
    }

    private void checkOne(String operation, Buf buf) {
        Arguments.given(operation, "buf", buf, port);
        if (buf.count() == 1 && buf.datatype().isPredefined()) return;
        throw MpiException.argument(
                ErrorClass.ERR_COUNT,
                operation,
                buf + " is not one element of a predefined type; use getAccumulate for more",
                port);
    }

    private void checkSwappable(Datatype type) {
        if (type.elements().isWholeNumber() || type == Datatype.BOOLEAN) return;
        throw MpiException.argument(
                ErrorClass.ERR_TYPE, "compareAndSwap", type + " is neither an integer nor BOOLEAN", port);
    }

    private static void copyBack(Access a, Buf buf) {
        buf.fromMemory(a.result.memory, 0, a.bytes);
    }
}
