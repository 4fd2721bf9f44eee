package org.tutti.device.library;

import java.util.function.Supplier;
import org.tutti.job.signal.SignalGuard;

/// Protects the JVM's signal handlers against replacement by calls of libraries.
///
/// PoCL installs a SIGFPE handler on initialization, and the LLVM in it installs handlers of SIGSEGV and ten
/// other signals. With these handlers, an integer division by zero in Java returns a number, and the process
/// terminates without a message when the JVM stops two threads at the same time.
public final class JvmSignals {
    private JvmSignals() {}

    /// Executes `calls`, restores the handlers, and returns the result. Other threads that call this method
    /// wait in the meantime.
    public static <T> T kept(Supplier<T> calls) {
        return SignalGuard.alone(() -> {
            SignalGuard guard = SignalGuard.save(Loader::sigaction);
            try {
                return calls.get();
            } finally {
                guard.restore();
            }
        });
    }
}
