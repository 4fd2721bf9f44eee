package org.tutti.job.signal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// The reaction of this process to SIGTERM, SIGINT and SIGUSR1.
///
/// | signal | no callback is registered | with callbacks |
/// |---|---|---|
/// | SIGTERM, SIGINT | Java's default: shutdown hooks, exit code 143 or 130 | runs the callbacks, continues |
/// | the second SIGTERM or SIGINT | | shutdown hooks, exit code 143 or 130 |
/// | SIGTERM after the job has failed | Java's default | the same |
/// | SIGUSR1 | prints one line | runs the callbacks, continues |
///
/// A launcher forwards a signal that the process may also receive directly, so several signals within
/// [#SAME_NANOS] are counted once.
public final class Termination {
    private static final long SAME_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int SIGNAL_CODE = 128;
    private static final Termination OF_THIS_PROCESS = new Termination(System::nanoTime, code -> System.exit(code));

    /// The time in nanoseconds.
    interface Clock {
        long nanoTime();
    }

    /// Ends the process.
    interface Exit {
        void exit(int code);
    }

    private final Clock clock;
    private final Exit exit;
    private final List<Runnable> callbacks = new CopyOnWriteArrayList<>();
    private volatile BooleanSupplier hasFailed = () -> false;
    private volatile Consumer<String> output = text -> System.err.println("tutti: " + text);
    private boolean isListening;
    private boolean isAsked;
    private long askedAtNanos;
    private boolean wasTerminated;
    private boolean isRunning;

    Termination(Clock clock, Exit exit) {
        this.clock = clock;
        this.exit = exit;
    }

    public static Termination ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /// Registers a callback for the end of this process. The first call also installs the handlers of signals.
    public void add(Runnable callback) {
        callbacks.add(callback);
        listen();
        if (callbacks.size() > 1) return;
        Signals.handle(Signals.TERM, () -> signal(Signals.TERM, Signals.NUMBER_OF_TERM));
        Signals.handle(Signals.INT, () -> signal(Signals.INT, Signals.NUMBER_OF_INT));
    }

    /// Sets the functions of a rank. [#listen] is called later, because it is too slow for the start of a rank.
    ///
    /// @param failed whether the job has failed, so that this process must end immediately
    /// @param print prints a line
    public void ofRank(BooleanSupplier failed, Consumer<String> print) {
        hasFailed = failed;
        output = print;
    }

    /// Handles SIGUSR1, which would otherwise end the JVM. Further calls have no effect.
    public void listen() {
        synchronized (this) {
            if (isListening) return;
            isListening = true;
        }
        Signals.handle(Signals.USR1, () -> signal(Signals.USR1, Signals.NUMBER_OF_USR1));
    }

    /// Called when a signal has arrived.
    void signal(String name, int number) {
        if (!name.equals(Signals.USR1) && isToEnd()) {
            exit.exit(SIGNAL_CODE + number);
            return;
        }
        if (!begins()) return;
        try {
            if (callbacks.isEmpty()) {
                output.accept("SIGUSR1 is ignored: the program has not registered a callback with Mpi.onTermination");
            }
            for (Runnable callback : callbacks) callback.run();
        } finally {
            synchronized (this) {
                isRunning = false;
            }
        }
    }

    /// Returns whether a SIGTERM or SIGINT must end the process now.
    private synchronized boolean isToEnd() {
        if (hasFailed.getAsBoolean()) return true;
        boolean isRepeated = isAsked && clock.nanoTime() - askedAtNanos < SAME_NANOS;
        boolean isSecond = wasTerminated && !isRepeated;
        wasTerminated = true;
        return isSecond;
    }

    /// Returns whether the callbacks must run now.
    private synchronized boolean begins() {
        long now = clock.nanoTime();
        if (isRunning || isAsked && now - askedAtNanos < SAME_NANOS) return false;
        isAsked = true;
        isRunning = true;
        askedAtNanos = now;
        return true;
    }
}
