package org.tutti.libmpi;

import static org.tutti.libmpi.raw.CollectiveFunctions.MPI_Ibarrier;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.DuplicateFunctions.MPI_Comm_idup;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/// Nonblocking duplication over Open MPI, in three steps: all ranks synchronize, see [NativeCommunicators]; the
/// library duplicates the parent's shadow, which yields the new communicator; then it duplicates the new
/// communicator, which yields the new shadow.
///
/// Open MPI 4.1 implements `MPI_Comm_idup` with collective calls that start during the library's progress, so
/// the order of these calls relative to the program's nonblocking calls on the same communicator differs
/// between ranks; C programs fail, too. On the shadow, the order is the same on all ranks: the program cannot
/// call functions on it, and duplications of the same parent are executed one after another.
final class StepwiseDups {
    static final int HANDLE_BYTES = 8;

    private final Schedules.Steps steps;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Dup> active = new ArrayList<>();
    private volatile int pending;

    private static final class Dup {
        final NativeCollective call;

        /// The call's port. It is stored here because the call object may be reused as soon as the call is
        /// complete.
        final NativeComm parent;

        final MemorySegment handles;

        boolean haveMet;

        /// How many of the two duplications have started.
        int started;

        long request;

        Dup(NativeCollective call, MemorySegment handles) {
            this.call = call;
            parent = call.nativeComm();
            this.handles = handles;
        }

        /// Returns whether this duplication still needs the parent's shadow.
        boolean usesParent() {
            return started < 2;
        }
    }

    StepwiseDups(Schedules.Steps steps) {
        this.steps = steps;
    }

    /// Returns whether a call needs progress.
    boolean arePending() {
        return pending != 0;
    }

    /// Starts `call`; its port is the parent. On completion, `handles` contains the handles of the new
    /// communicator and the shadow.
    void start(NativeCollective call, MemorySegment handles) {
        call.isStepwise = true;
        lock.lock();
        NativeScratch s = NativeScratch.take();
        try {
            Dup dup = new Dup(call, handles);
            check(MPI_Ibarrier(dup.parent.handle, s.request), dup);
            dup.request = s.request();
            dup.parent.retain();
            active.add(dup);
            pending = active.size();
            advanceAll(s);
        } finally {
            s.give();
            lock.unlock();
        }
    }

    /// Advances every call, unless a thread is already doing so; returns true if a call has advanced.
    boolean progress(NativeScratch s) {
        if (pending == 0 || !lock.tryLock()) return false;
        try {
            return advanceAll(s);
        } finally {
            lock.unlock();
        }
    }

    private boolean advanceAll(NativeScratch s) {
        boolean moved = false;
        for (int i = 0; i < active.size(); ) {
            Dup dup = active.get(i);
            int started = dup.started;
            boolean over = isOver(dup, i, s);
            moved |= over || dup.started != started;
            if (!over) {
                i++;
                continue;
            }
            active.remove(i);
            pending = active.size();
        }
        return moved;
    }

    private boolean isOver(Dup dup, int place, NativeScratch s) {
        try {
            if (dup.started == 0) {
                if (!dup.haveMet && !isReady(dup, s)) return false;
                dup.haveMet = true;
                if (mustWait(dup, place)) return false;
                begin(dup, dup.parent.shadow, 0, s);
            }
            while (isReady(dup, s)) {
                if (dup.started == 2) {
                    dup.parent.release();
                    dup.call.complete();
                    return true;
                }
                begin(dup, ABI.readHandle(dup.handles), HANDLE_BYTES, s);
            }
            return false;
        } catch (RuntimeException | Error e) {
            dup.parent.release();
            steps.end(dup.call, e);
            return true;
        }
    }

    private boolean mustWait(Dup dup, int place) {
        for (int i = 0; i < place; i++) {
            Dup before = active.get(i);
            if (before.parent == dup.parent && before.usesParent()) return true;
        }
        return false;
    }

    private static void begin(Dup dup, long handle, long offset, NativeScratch s) {
        check(MPI_Comm_idup(handle, dup.handles.asSlice(offset), s.request), dup);
        dup.request = s.request();
        dup.started++;
    }

    private static boolean isReady(Dup dup, NativeScratch s) {
        s.request(dup.request);
        check(MPI_Test(s.request, s.flag, s.status), dup);
        return s.flag();
    }

    private static void check(int rc, Dup dup) {
        if (rc != 0) throw Errors.of(rc, "idup", dup.parent);
    }
}
