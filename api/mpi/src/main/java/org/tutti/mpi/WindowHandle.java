package org.tutti.mpi;

import static org.tutti.mpi.Communicator.PROC_NULL;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.window.DynamicPort;
import org.tutti.mpi.window.Epochs;
import org.tutti.mpi.window.Twin;
import org.tutti.spi.Access;
import org.tutti.spi.Access.Kind;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.Observer.Verb;
import org.tutti.spi.WindowPort;
import org.tutti.spi.type.ElementType;

/// The part of a window that all operations use: the [CommPort], the epochs, and the checks of arguments.
abstract sealed class WindowHandle permits WindowAccesses {
    final Mpi mpi;
    final WindowPort window;
    final CommPort port;
    final Epochs epochs;

    /// The copy of existing memory of the program; null if there is no copy.
    @Nullable
    Twin twin;

    /// Memory of the program that other ranks access directly, or null. The reference keeps the memory
    /// reachable until the window is closed.
    private @Nullable MemorySegment inPlace;

    /// Whether the program has received the error that explains why the window cannot be closed.
    volatile boolean isCloseRefused;

    WindowHandle(Mpi mpi, WindowPort window) {
        this.mpi = mpi;
        this.window = window;
        port = window.port();
        epochs = new Epochs(port);
    }

    abstract void checkOpen(String operation);

    final boolean isIn(MemoryUse memory) {
        if (window instanceof DynamicPort dynamic) return memory.contains(dynamic);
        MemorySegment own = inPlace;
        return own != null && memory.contains(own);
    }

    /// Returns the calls of the engine, for an operation on this window that begins now.
    final WindowCalls begin(String operation) {
        WindowCalls calls = mpi.windows(operation);
        checkOpen(operation);
        return calls;
    }

    /// Like [#begin(String)], for a call with assertions.
    final WindowCalls begin(String operation, Window.Assert[] promises) {
        WindowCalls calls = begin(operation);
        Arguments.given(operation, "promises", promises, port);
        return calls;
    }

    /// Throws `refusal`, the error that a method of [Epochs] has returned for a call, if it is not null.
    static void check(@Nullable Fault refusal) {
        if (refusal != null) throw MpiException.of(refusal);
    }

    final void checkTarget(String operation, int target) {
        checkRank(operation, "target", target);
    }

    final void checkRank(String operation, String name, int rank) {
        if (rank >= 0 && rank < port.size()) return;
        throw MpiException.argument(
                ErrorClass.ERR_RANK,
                operation,
                name + "=" + rank + " is not a rank of " + port.name() + ", which has ranks 0 to " + (port.size() - 1),
                port);
    }

    /// Checks an access, and returns an object that the caller must fill in; null if the target is `PROC_NULL`.
    final @Nullable Access access(String operation, Kind kind, int target) {
        if (target == PROC_NULL) return null;
        checkTarget(operation, target);
        check(epochs.access(operation, target));
        return mpi.scratch().access().fill(operation, kind, target);
    }

    /// Executes an access that the caller has filled in.
    final void run(WindowCalls calls, Access a) {
        epochs.accesses(a.target);
        a.window = window;
        calls.engine.call(Verb.ACCESS, a, null);
    }

    /// Sets the offset in the target's memory, for `bytes` contiguous bytes.
    final void place(Access a, long displacement, long bytes) {
        a.targetOffset = offset(a, displacement, 0, bytes);
        a.bytes = bytes;
    }

    /// Sets the location at the target, for elements of the same number and type as in `origin`.
    final void place(Access a, long displacement, Buf origin) {
        if (origin.datatype().isPredefined()) place(a, displacement, origin.sizeBytes());
        else {
            TargetLayout same = new TargetLayout(a.operation, origin.count(), origin.datatype(), port);
            place(a, displacement, same, origin.sizeBytes());
        }
    }

    /// Sets the location at the target: the first `bytes` bytes of `there`.
    final void place(Access a, long displacement, TargetLayout there, long bytes) {
        long begin = offset(a, displacement, there.low(), there.high());
        a.targetLayout = there.layout();
        if (a.kind != Kind.GET && a.targetLayout != null && a.targetLayout.overlaps()) {
            throw MpiException.argument(
                    ErrorClass.ERR_TYPE,
                    a.operation,
                    "the target's type contains bytes twice, so the result would depend on the order; avoid the overlap",
                    port);
        }
        a.targetOffset = a.targetLayout == null ? begin + there.low() : begin;
        a.bytes = bytes;
    }

    private long offset(Access a, long displacement, long low, long high) {
        long length = window.bytes(a.target);
        int unit = window.unitBytes(a.target);
        if (displacement < 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_DISP, a.operation, "disp=" + displacement + " is negative", port);
        }
        if (window instanceof DynamicPort dynamic) {
            check(dynamic.outside(a.operation, a.target, displacement + low, displacement + high));
            return displacement;
        }
        // no division is needed: an offset that does not fit into 64 bits is outside of the memory, too
        boolean overflows = Math.multiplyHigh(displacement, (long) unit) != 0 || displacement * unit < 0;
        long begin = displacement * unit;
        if (!overflows && begin + low >= 0 && high <= length - begin) return begin;
        boolean isOne = high - low == 1;
        String end = overflows || begin > Long.MAX_VALUE - high
                ? (isOne ? "ends" : "end") + " after byte 2^63 - 1 in"
                : begin + low < 0
                        ? (isOne ? "begins " : "begin ") + bytes(-(begin + low)) + " before"
                        : (isOne ? "ends " : "end ") + bytes(begin + high - length) + " past the end of";
        String unitHint =
                displacement == 0 ? "" : "; displacements at rank " + a.target + " are in units of " + bytes(unit);
        throw MpiException.argument(
                ErrorClass.ERR_RMA_RANGE,
                a.operation,
                bytes(high - low) + " at disp=" + displacement + " (unit " + unit + ") " + end + " the window of rank "
                        + a.target + " (" + bytes(length) + ")" + unitHint,
                port);
    }

    private static String bytes(long count) {
        return count == 1 ? "1 byte" : count + " bytes";
    }

    /// Checks a buffer with data to be sent.
    final void checkOrigin(String operation, String name, Buf buf) {
        checkPlace(operation, name, buf);
        Arguments.checkRecords(operation, buf, 0, buf.count(), port);
    }

    /// Checks a buffer for received data.
    final void checkResult(String operation, String name, Buf buf) {
        checkPlace(operation, name, buf);
        Arguments.checkReceiveBuffer(operation, buf, port);
    }

    private void checkPlace(String operation, String name, Buf buf) {
        if (buf == null) throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, name + " is null", port);
        if (buf.isPlace() && buf.blocks() == null) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, name + " is " + buf + "; pass a buffer without blocks", port);
    }

    /// Checks that the first `bytes` bytes of the two types consist of the same basic types.
    final void checkTypes(String operation, String name, Datatype here, String otherName, Datatype there, long bytes) {
        ElementType a = here.elements(), b = there.elements();
        boolean match = a.basic() == b.basic()
                && (!a.isMixed() || here == there || a.signatureHash(bytes) == b.signatureHash(bytes));
        if (match || bytes == 0) return;
        throw MpiException.argument(
                ErrorClass.ERR_TYPE,
                operation,
                name + " is of " + here + " but " + otherName + " is of " + there,
                port);
    }

    /// Checks that `bytes` bytes fit into `room` bytes.
    final void checkFits(String operation, String what, long bytes, String into, long room) {
        if (bytes <= room) return;
        throw MpiException.argument(
                ErrorClass.ERR_TRUNCATE,
                operation,
                what + " has " + bytes + " bytes and does not fit into " + into + " of " + room,
                port);
    }

    /// Checks that accumulates support the operation for elements of a basic type.
    final ElementType checkOp(String operation, Op op, Datatype type, boolean gets) {
        ElementType basic = type.elements().basic();
        String why = null;
        Arguments.given(operation, "op", op, port);
        if (!op.isForWindows()) why = op.name() + " is user-defined or in rank order; pass a predefined operation";
        else if (op.equals(Op.NO_OP) && !gets) why = "NO_OP has no effect; use it with getAccumulate or fetchAndOp";
        else if (!op.reduction().supports(basic)) why = op.undefinedFor(type);
        if (why != null) throw MpiException.argument(ErrorClass.ERR_OP, operation, why, port);
        checkOneType(operation, type);
        return basic;
    }

    private void checkOneType(String operation, Datatype type) {
        if (!type.elements().isMixed()) return;
        throw MpiException.argument(
                ErrorClass.ERR_TYPE,
                operation,
                type + " consists of several types; atomic accesses need elements of one predefined type",
                port);
    }

    /// Returns the ranks that the members of `group` have in the window; throws if a member is not in the
    /// window.
    final int[] ranksOf(String operation, Group group, Group all) {
        Arguments.given(operation, "group", group, port);
        int[] own = IntStream.range(0, group.size()).toArray();
        int[] ranks = group.translateRanks(own, all);
        if (IntStream.of(ranks).allMatch(r -> r >= 0)) return ranks;
        throw MpiException.argument(
                ErrorClass.ERR_GROUP,
                operation,
                group + " has ranks that are not in " + port.name() + ": " + group.difference(all),
                port);
    }

    // ---- existing memory of the program

    static void checkOwnMemory(Buf buf, CommPort port) {
        Arguments.given("of", "buf", buf);
        if (!buf.isPlace() || buf.blocks() != null) {
            String what = "the window's memory is " + buf + "; pass a buffer without blocks, or an empty buffer";
            throw MpiException.argument(ErrorClass.ERR_BUFFER, "of", what, port);
        }
        if (buf.datatype().elements().isMixed()) {
            String what = buf.datatype() + " consists of several types; a window has elements of one basic type";
            throw MpiException.argument(ErrorClass.ERR_TYPE, "of", what, port);
        }
        Arguments.checkReceiveBuffer("of", buf, port);
    }

    static Twin twin(Buf buf, MemorySegment window) {
        Memory used = buf.toMemory();
        Twin.Original original = new Twin.Original() {
            @Override
            public void refresh() {
                buf.refresh(used);
            }

            @Override
            public void take(long from, long bytes) {
                buf.fromMemory(used, from, bytes);
            }
        };
        return new Twin(
                used.segment(),
                original,
                window,
                buf.datatype().elements().basic().bytes());
    }

    final void barrier(String operation) {
        mpi.engine(operation).complete(mpi.scratch().collective().fill(operation, port, Collective.Kind.BARRIER, 0));
    }

    /// Publishes memory of the program to all ranks of the window.
    final void created() {
        begin("of").sync(window);
        barrier("of");
    }

    /// Called after the window has been created over `own`: if the engine does not access `own` directly, the
    /// window's memory is a copy of `own`.
    final void over(MemorySegment own) {
        MemorySegment memory = window.memory(port.rank());
        if (own.isNative() && memory.address() == own.address()) inPlace = own;
        else twin = twin(Buf.buf(own), memory);
    }

    /// Synchronizes existing memory of this rank with the copy that other ranks access, in both directions.
    final void merge(WindowCalls calls) {
        Twin t = twin;
        if (t == null) return;
        t.merge();
        calls.sync(window);
    }

    final DynamicPort dynamicPort(String operation, Window.Flavor flavor) {
        if (window instanceof DynamicPort dynamic) return dynamic;
        String what = "memory can be attached only to windows of dynamic(); this window is of flavor " + flavor;
        throw MpiException.argument(ErrorClass.ERR_RMA_FLAVOR, operation, what, port);
    }

    final void checkHasMemory(Window.Flavor flavor) {
        if (flavor == Window.Flavor.ALLOCATE || flavor == Window.Flavor.SHARED) return;
        String what = "the window of flavor " + flavor + " is over existing memory of the program; use that memory";
        throw MpiException.argument(ErrorClass.ERR_RMA_FLAVOR, "memory", what, port);
    }
}
