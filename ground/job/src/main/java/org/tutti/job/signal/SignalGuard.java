package org.tutti.job.signal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Saves the JVM's signal handlers and restores handlers that a library has replaced.
///
/// HotSpot uses SIGSEGV and SIGFPE in normal operation: SIGSEGV stops threads at safepoints and detects null,
/// and SIGFPE detects division by zero. UCX up to 1.19 replaces these handlers when it is loaded (openucx
/// #3337); PoCL, which Open MPI's singletons load, replaces twelve handlers. Handlers that the JVM has not
/// installed are not changed.
public final class SignalGuard {
    // struct sigaction is opaque here: this size is sufficient on all systems, and the handler is the first
    // field (Linux, macOS)
    private static final int ACTION_BYTES = 256;
    private static final int SIGNALS = 32;

    /// The function `int sigaction(int signum, const struct sigaction *act, struct sigaction *oldact)`, which
    /// the caller provides.
    public interface Sigaction {
        int call(int signal, MemorySegment action, MemorySegment old);
    }

    private final Sigaction sigaction;
    private final Map<Integer, MemorySegment> saved = new TreeMap<>();

    private SignalGuard(Sigaction sigaction) {
        this.sigaction = sigaction;
    }

    /// Runs `calls`, which may change the process's handlers, under a lock. Without the lock, a thread could
    /// save and restore handlers while a second thread is loading a library that replaces handlers.
    public static <T> T alone(Supplier<T> calls) {
        synchronized (SignalGuard.class) {
            return calls.get();
        }
    }

    /// Saves the current handlers. Call this before loading a library that may replace handlers.
    public static SignalGuard save(Sigaction sigaction) {
        SignalGuard guard = new SignalGuard(sigaction);
        for (int signal = 1; signal < SIGNALS; signal++) {
            MemorySegment action = Arena.ofAuto().allocate(ACTION_BYTES, 16);
            boolean known = sigaction.call(signal, MemorySegment.NULL, action) == 0;
            boolean handled = (action.get(JAVA_LONG, 0) & ~1L) != 0; // a handler, not SIG_DFL or SIG_IGN
            if (known && handled) guard.saved.put(signal, action);
        }
        return guard;
    }

    /// Restores the changed handlers, and returns the signals of these handlers.
    public List<Integer> restore() {
        List<Integer> changed = lost();
        for (int signal : changed) {
            MemorySegment action = saved.get(signal);
            if (action != null) sigaction.call(signal, action, MemorySegment.NULL);
        }
        return changed;
    }

    /// Returns the signals for which a handler of the JVM has been replaced.
    public List<Integer> lost() {
        List<Integer> lost = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment now = arena.allocate(ACTION_BYTES, 16);
            saved.forEach((signal, action) -> {
                boolean known = sigaction.call(signal, MemorySegment.NULL, now) == 0;
                if (known && now.get(JAVA_LONG, 0) != action.get(JAVA_LONG, 0)) lost.add(signal);
            });
        }
        return lost;
    }
}
