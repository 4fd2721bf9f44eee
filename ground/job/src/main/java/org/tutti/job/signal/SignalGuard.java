package org.tutti.job.signal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Remembers the JVM's signal handlers and puts back those that a library has replaced.
///
/// HotSpot uses SIGSEGV and SIGFPE in normal running: it stops threads by the one, and finds null and division by
/// zero. UCX up to 1.19 takes them at load (openucx #3337), PoCL, which Open MPI's singletons load, too, takes
/// twelve. Handlers that the JVM did not own are left alone.
public final class SignalGuard {
    // struct sigaction is opaque here: large enough anywhere, with the handler first (Linux, macOS)
    private static final int ACTION_BYTES = 256;
    private static final int SIGNALS = 32;

    /// `int sigaction(int signum, const struct sigaction *act, struct sigaction *oldact)`, of whoever may call it.
    public interface Sigaction {
        int call(int signal, MemorySegment action, MemorySegment old);
    }

    private final Sigaction sigaction;
    private final Map<Integer, MemorySegment> saved = new TreeMap<>();

    private SignalGuard(Sigaction sigaction) {
        this.sigaction = sigaction;
    }

    /// What `calls` returns, of which some change the process's handlers: those of one thread after those of the other,
    /// or one would put back what another one's library has taken.
    public static <T> T alone(Supplier<T> calls) {
        synchronized (SignalGuard.class) {
            return calls.get();
        }
    }

    /// Remembers the handlers as they are. To be called before a library is loaded that may take them.
    public static SignalGuard save(Sigaction sigaction) {
        SignalGuard guard = new SignalGuard(sigaction);
        for (int signal = 1; signal < SIGNALS; signal++) {
            MemorySegment action = Arena.ofAuto().allocate(ACTION_BYTES, 16);
            boolean known = sigaction.call(signal, MemorySegment.NULL, action) == 0;
            boolean handled = (action.get(JAVA_LONG, 0) & ~1L) != 0; // neither SIG_DFL nor SIG_IGN
            if (known && handled) guard.saved.put(signal, action);
        }
        return guard;
    }

    /// Puts back what changed, and tells which signals those were.
    public List<Integer> restore() {
        List<Integer> changed = lost();
        for (int signal : changed) {
            MemorySegment action = saved.get(signal);
            if (action != null) sigaction.call(signal, action, MemorySegment.NULL);
        }
        return changed;
    }

    /// The signals that the JVM had and somebody else has now.
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
