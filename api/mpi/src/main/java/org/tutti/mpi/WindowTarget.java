package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// A position in the memory of a target rank of a window, which [Window#at(int, long)] returns. MPI 4.1,
/// section 12.3.
///
///     WindowTarget counter = window.at(0, COUNTER);
///     long ticket = counter.fetchAndAdd(1L);                    // atomic, complete when the call returns
///     while (mutex.compareAndSwap(0L, 1L) != 0) Thread.onSpinWait();
///     window.at(right, 2, 1, column).put(buf(row));             // a different layout at the target
///
/// ## Accesses
///
/// A target is a rank, or [Comm#PROC_NULL], for which no access takes place. Accesses need an epoch at the
/// target. Displacements are in the units of the *target*. If the position has a layout ([Window#at(int, long,
/// long, Datatype)]), the data at the target has that layout; otherwise it has elements of the same number and
/// type as the buffer. The operations on buffers with a target and a displacement in [Window] are equivalent.
///
/// A buffer can be reused when the call returns. The data is at the target after the end of the epoch or a
/// flush; before that, a second access to the same bytes is an error of the program, unless the two accesses
/// are atomic. Accumulates are atomic for each element of a predefined type. Accumulates of the same rank to
/// the same position are executed in order (section 12.7.1). Accumulates support the predefined operations,
/// including [Op#REPLACE] and [Op#NO_OP].
///
/// The operations on one value are atomic like accumulates, and complete at the target on return, as after a
/// flush. The type of the argument is the type of the element: `fetchAndAdd(1)` is for an `int` at the target,
/// `fetchAndAdd(1L)` for a `long`. The operations return 0 if the target is [Comm#PROC_NULL]. If the position
/// has a layout, the layout must be one element of that type; otherwise the operation throws `ERR_TYPE`.
///
/// Objects of this class are immutable and thread-safe, and need not be closed.
///
/// ## Errors
///
/// In addition to the errors that a method documents, methods throw `ERR_RANK` if the target is not a rank;
/// `ERR_RMA_SYNC` if no epoch is open at the target; `ERR_DISP` if the displacement is negative;
/// `ERR_RMA_RANGE` if the data is not within the target's memory; `ERR_TYPE` if the types at origin and target
/// differ; `ERR_TRUNCATE` if the space is too small for the data; `ERR_BUFFER` if a buffer is missing, or if
/// the buffer and the result overlap; and `ERR_WIN` if the window is closed.
public final class WindowTarget {
    private final WindowAccesses window;
    private final int target;
    private final long displacement;
    private final @Nullable TargetLayout layout;

    WindowTarget(WindowAccesses window, int target, long displacement, @Nullable TargetLayout layout) {
        this.window = window;
        this.target = target;
        this.displacement = displacement;
        this.layout = layout;
    }

    // ---- buffers

    /// Stores data at this position. The layout may describe more elements than the buffer. Local. `MPI_Put`,
    /// MPI 4.1, section 12.3.1.
    ///
    /// @throws MpiException as [WindowTarget] documents
    public void put(Buf buf) {
        window.put("put", buf, target, displacement, layout);
    }

    /// Loads data from this position. If the position has a layout, all of its elements are loaded, and the
    /// rest of the buffer does not change. Local. `MPI_Get`, MPI 4.1, section 12.3.2.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public void get(Buf buf) {
        window.get("get", buf, target, displacement, layout);
    }

    /// Combines data with the data at this position. Local. `MPI_Accumulate`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [Window#accumulate(Buf, int, long, Op)]
    public void accumulate(Buf buf, Op op) {
        window.accumulate("accumulate", buf, target, displacement, layout, op);
    }

    /// Combines data as [#accumulate] does, and returns the previous data in `result`. Local.
    /// `MPI_Get_accumulate`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [Window#accumulate(Buf, int, long, Op)]
    public void getAccumulate(Buf buf, Buf result, Op op) {
        window.getAccumulate("getAccumulate", buf, result, target, displacement, layout, op);
    }

    /// Starts [#put] and returns a request, which completes when the buffer can be reused. Only in an epoch of
    /// [Window#lock] or [Window#lockAll]. Local. `MPI_Rput`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [WindowTarget] documents
    public Request rput(Buf buf) {
        return window.rput(buf, target, displacement, layout);
    }

    /// Starts [#get] and returns a request, which completes when the data is in the buffer. Only in an epoch of
    /// [Window#lock] or [Window#lockAll]. Local. `MPI_Rget`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [WindowTarget] documents
    public Request rget(Buf buf) {
        return window.rget(buf, target, displacement, layout);
    }

    /// Starts [#accumulate] and returns a request, as [#rput] does. Local. `MPI_Raccumulate`, MPI 4.1, section
    /// 12.3.5.
    ///
    /// @throws MpiException as [Window#accumulate(Buf, int, long, Op)]
    public Request raccumulate(Buf buf, Op op) {
        return window.raccumulate(buf, target, displacement, layout, op);
    }

    /// Starts [#getAccumulate] and returns a request, which completes when the data is in `result`. Local.
    /// `MPI_Rget_accumulate`, MPI 4.1, section 12.3.5.
    ///
    /// @throws MpiException as [Window#accumulate(Buf, int, long, Op)]
    public Request rgetAccumulate(Buf buf, Buf result, Op op) {
        return window.rgetAccumulate(buf, result, target, displacement, layout, op);
    }

    // ---- one value

    /// Combines `value` with the element at this position, and returns the previous value. Local.
    /// `MPI_Fetch_and_op`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [Window#accumulate(Buf, int, long, Op)]
    public long fetchAndOp(long value, Op op) {
        return window.fetchAndOp("fetchAndOp", value, target, displacement, layout, op);
    }

    /// Like [#fetchAndOp(long, Op)], for an `int`. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [#fetchAndOp(long, Op)]
    public int fetchAndOp(int value, Op op) {
        return window.fetchAndOp("fetchAndOp", value, target, displacement, layout, op);
    }

    /// Like [#fetchAndOp(long, Op)], for a `double`. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [#fetchAndOp(long, Op)]
    public double fetchAndOp(double value, Op op) {
        return window.fetchAndOp("fetchAndOp", value, target, displacement, layout, op);
    }

    /// Like [#fetchAndOp(long, Op)], for a `float`. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [#fetchAndOp(long, Op)]
    public float fetchAndOp(float value, Op op) {
        return window.fetchAndOp("fetchAndOp", value, target, displacement, layout, op);
    }

    /// Adds `value` to the element at this position, and returns the previous value, like [#fetchAndOp(long,
    /// Op)] with [Op#SUM]. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public long fetchAndAdd(long value) {
        return window.fetchAndOp("fetchAndAdd", value, target, displacement, layout, Op.SUM);
    }

    /// Like [#fetchAndAdd(long)], for an `int` at the target; pass `1L` for a `long`. Local. MPI 4.1, section
    /// 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public int fetchAndAdd(int value) {
        return window.fetchAndOp("fetchAndAdd", value, target, displacement, layout, Op.SUM);
    }

    /// Like [#fetchAndAdd(long)], for a `double`. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public double fetchAndAdd(double value) {
        return window.fetchAndOp("fetchAndAdd", value, target, displacement, layout, Op.SUM);
    }

    /// Like [#fetchAndAdd(long)], for a `float`. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public float fetchAndAdd(float value) {
        return window.fetchAndOp("fetchAndAdd", value, target, displacement, layout, Op.SUM);
    }

    /// Stores `value` at this position if the element there equals `expected`, and returns the previous value.
    /// Local. `MPI_Compare_and_swap`, MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public long compareAndSwap(long expected, long value) {
        return window.compareAndSwap(expected, value, target, displacement, layout);
    }

    /// Like [#compareAndSwap(long, long)], for an `int`. Local. MPI 4.1, section 12.3.4.
    ///
    /// @throws MpiException as [WindowTarget] describes
    public int compareAndSwap(int expected, int value) {
        return window.compareAndSwap(expected, value, target, displacement, layout);
    }

    @Override
    public String toString() {
        String what = layout == null ? "" : layout + " at ";
        return what + "disp=" + displacement + " of rank " + target + " (" + window.port.name() + ")";
    }
}
