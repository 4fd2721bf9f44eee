package org.tutti.launch.job;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.signal.Signals;

/// The signals by which a user, a batch system or a container runtime controls `tutti run`.
///
/// The handlers exist from [#listen] to [#close]. Before [#listen], SIGTERM and SIGINT end this JVM, and a
/// shutdown hook ends the ranks; SIGUSR1 is ignored from [#prepare] to [#listen]. The third SIGTERM or SIGINT
/// ends this JVM and the ranks immediately, even if the JVM is blocked.
final class LauncherSignals implements AutoCloseable {
    private static final int SIGNAL_CODE = 128;

    private static final int COUNT_OF_HALT = 3;

    private final IntConsumer halt;

    /// Actions that restore the handlers of SIGTERM and SIGINT.
    private final List<Runnable> previous = new ArrayList<>();

    private boolean isListening;
    private @Nullable String name;
    private int code;
    private int count;
    private boolean isNoticed;
    private @Nullable Runnable wake;

    LauncherSignals() {
        this(code -> Runtime.getRuntime().halt(code));
    }

    /// @param halt ends this JVM with an exit code
    LauncherSignals(IntConsumer halt) {
        this.halt = halt;
    }

    /// Called before ranks are started. This process then ignores SIGUSR1 until [#listen]. Ranks inherit this
    /// setting; otherwise the signal would end a JVM during the start.
    void prepare() {
        if (!Signals.isIgnored(Signals.NUMBER_OF_USR1)) Signals.ignore(Signals.USR1);
    }

    /// Installs the handlers; from now on, `arrived` is called after each signal.
    void listen(Runnable arrived) {
        boolean isFirst;
        synchronized (this) {
            wake = arrived;
            isFirst = !isListening;
            isListening = true;
        }
        Signals.handle(Signals.USR1, this::notice); // again after each prepare
        if (!isFirst) return;
        replace(Signals.TERM, () -> end("SIGTERM", SIGNAL_CODE + Signals.NUMBER_OF_TERM));
        replace(Signals.INT, () -> end("SIGINT", SIGNAL_CODE + Signals.NUMBER_OF_INT));
    }

    private void replace(String signal, Runnable action) {
        Runnable restores = Signals.replace(signal, action);
        if (restores != null) previous.add(restores);
    }

    /// Handles a SIGTERM or SIGINT.
    void end(String signal, int exitCode) {
        boolean isLast;
        int first;
        synchronized (this) {
            if (name == null) {
                name = signal;
                code = exitCode;
            }
            first = code;
            isLast = ++count == COUNT_OF_HALT;
        }
        if (isLast) halt.accept(first);
        arrived();
    }

    /// Handles a SIGUSR1.
    void notice() {
        synchronized (this) {
            isNoticed = true;
        }
        arrived();
    }

    private void arrived() {
        Runnable action;
        synchronized (this) {
            action = wake;
        }
        if (action != null) action.run();
    }

    /// Returns the first signal that ends the job; null if there was none.
    synchronized @Nullable String name() {
        return name;
    }

    /// Returns the exit code for the signal [#name].
    synchronized int code() {
        return code;
    }

    /// Returns whether a second signal has followed.
    synchronized boolean isImpatient() {
        return count > 1;
    }

    /// Returns whether a SIGUSR1 has arrived since the last call.
    synchronized boolean takeNotice() {
        boolean before = isNoticed;
        isNoticed = false;
        return before;
    }

    /// Restores the previous handlers of SIGTERM and SIGINT. SIGUSR1 is ignored from then on.
    @Override
    public void close() {
        synchronized (this) {
            wake = null;
            if (!isListening) return;
        }
        previous.forEach(Runnable::run);
        Signals.ignore(Signals.USR1);
    }
}
