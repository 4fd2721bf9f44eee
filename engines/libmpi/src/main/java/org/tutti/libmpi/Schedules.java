package org.tutti.libmpi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.tutti.coll.ScheduleRunner;
import org.tutti.spi.Activity;
import org.tutti.spi.Engine;
import org.tutti.spi.Transfer;

/// Collective calls that Tutti makes of messages: those of kinds for which it calls no function of the
/// library, the same way over every engine.
///
///     LibmpiEngine ──start, progress──▶ Schedules ──▶ ScheduleRunner (org.tutti.coll) ──start(Transfer)──▶
/// LibmpiEngine
///
/// Their messages travel on the shadow communicator, so one with ranks of other languages cannot have
/// them. A schedule goes on only when Java has seen that its messages are done. So every wait of this
/// engine also looks after those that are under way: else two ranks that begin a call each and then wait
/// in the library for something that comes after it would wait for ever.
final class Schedules {
    private final Engine engine;
    private final Steps steps;

    private final ReentrantLock lock = new ReentrantLock();
    private final List<NativeCollective> active = new ArrayList<>();
    private volatile int pending;

    /// What the engine does with one activity.
    interface Steps {
        /// Looks once; true when it has ended, well or not.
        boolean step(Activity activity, NativeScratch s);

        /// It ends with `why`.
        void end(Activity activity, Throwable why);
    }

    Schedules(Engine engine, Steps steps) {
        this.engine = engine;
        this.steps = steps;
    }

    /// Whether some call needs looking after.
    boolean arePending() {
        return pending != 0;
    }

    void start(NativeCollective c) {
        if (c.nativeComm().isMixed()) throw ForeignRanks.refuse(c, "collective calls of Tutti's own");
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
            c.nativeComm().begins();
        } finally {
            lock.unlock();
        }
    }

    /// Looks after every call that is under way, unless somebody is doing so; true when something has moved.
    boolean progress(NativeScratch s) {
        if (pending == 0 || !lock.tryLock()) return false;
        boolean moved = false;
        try {
            // an operation of the user may start and end calls meanwhile
            for (int i = active.size() - 1; i >= 0; i--) if (i < active.size()) moved |= advance(active.get(i), s);
        } finally {
            lock.unlock();
        }
        return moved;
    }

    private boolean advance(NativeCollective c, NativeScratch s) {
        ScheduleRunner runner = c.runner;
        if (runner == null) throw new IllegalStateException("a schedule without its runner");
        boolean moved = false;
        for (Transfer message = runner.waitingFor(); message != null; message = runner.waitingFor()) {
            if (!steps.step(message, s)) return moved;
            if (runner.advance()) {
                active.remove(c);
                pending = active.size();
                c.nativeComm().ends();
                finish(c, runner);
                return true;
            }
            // it is being advanced further down this stack, and is in an operation of the user
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
