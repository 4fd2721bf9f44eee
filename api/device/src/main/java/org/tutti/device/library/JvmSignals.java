package org.tutti.device.library;

import java.util.function.Supplier;
import org.tutti.job.signal.SignalGuard;

/// The JVM's handlers of signals, where a library is called that may take them.
///
/// PoCL takes SIGFPE when it begins, and the LLVM in it SIGSEGV and ten others. With these a division by zero in Java
/// gives a number, and a process ends without a word when two of its threads are stopped at one time.
public final class JvmSignals {
    private JvmSignals() {}

    /// What `calls` returns; behind them the handlers are what they were. Other threads wait until then.
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
