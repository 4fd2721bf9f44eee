package org.tutti.libmpi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.tutti.coll.ScheduleRunner;
import org.tutti.spi.Activity;
import org.tutti.spi.Engine;
import org.tutti.spi.Transfer;

/// Collective calls that Tutti executes as messages, in the same way over every engine: operations for which it
/// uses no function of the library.
///
///     LibmpiEngine ──start, progress──▶ Schedules ──▶ ScheduleRunner (org.tutti.coll)
///          ◀────────────────────start(Transfer)──────────────┘
///
/// Messages use the shadow communicator, so a communicator with ranks of other languages cannot have such
/// calls. A schedule advances only after Java code has detected the completion of messages. Therefore every
/// wait of this engine advances active schedules: otherwise two ranks that each start a call and then wait in
/// the library for a later operation would deadlock.
final class Schedules {
    private final Engine engine;
    private final Steps steps;

    private final ReentrantLock lock = new ReentrantLock();
    private final List<NativeCollective> active = new ArrayList<>();
    private volatile int pending;

    /// The engine's functions for one activity.
    interface Steps {
        /// Tests the activity once. Returns true if it has ended, with or without success.
        boolean step(Activity activity, NativeScratch s);

        /// Ends the activity with `why`.
        void end(Activity activity, Throwable why);
    }

    Schedules(Engine engine, Steps steps) {
        this.engine = engine;
        this.steps = steps;
    }

    /// Returns whether a call needs progress.
    boolean arePending() {
        return pending != 0;
    }

    void start(NativeCollective c) {
        if (c.nativeComm().isMixed()) throw ForeignRanks.refuse(c, "collective calls that Tutti executes as messages");
        c.isStepwise = false;
        lock.lock();
        try {
            ScheduleRunner runner = c.runner;
            if (runner == null) {
                runner = new ScheduleRunner(engine);
                c.runner = runner;
            }
            runner.begin(c);
            c.scheduledBytes = runner.pendingBytes();
            if (runner.advance()) {
                finish(c, runner);
                return;
            }
            active.add(c);
            pending = active.size();
            c.nativeComm().retain();
        } finally {
            lock.unlock();
        }
    }

    /// Advances every active call, unless a thread is already doing so; returns true if a call has advanced.
    boolean progress(NativeScratch s) {
        if (pending == 0 || !lock.tryLock()) return false;
        boolean moved = false;
        try {
            // a user-defined operation may start and end calls here, which changes `active`
            for (int i = active.size() - 1; i >= 0; i--) if (i < active.size()) moved |= advance(active.get(i), s);
        } finally {
            lock.unlock();
        }
        return moved;
    }

    private boolean advance(NativeCollective c, NativeScratch s) {
        ScheduleRunner runner = c.runner;
        if (runner == null) throw new IllegalStateException("schedule without a runner");
        boolean moved = false;
        for (Transfer message = runner.waitingFor(); message != null; message = runner.waitingFor()) {
            if (!steps.step(message, s)) return moved;
            if (runner.advance()) {
                active.remove(c);
                pending = active.size();
                c.nativeComm().release();
                finish(c, runner);
                return true;
            }
            // a user-defined operation has called back into this method: an outer frame of this thread is
            // already advancing this call
            if (runner.waitingFor() == message && message.isDone()) return moved;
            moved = true;
        }
        return moved;
    }

    private void finish(NativeCollective c, ScheduleRunner runner) {
        Throwable why = runner.failure();
        if (why == null) {
            c.complete();
        } else {
            steps.end(c, why);
        }
    }
}
