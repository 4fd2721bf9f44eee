package org.tutti.job.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TerminationTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong now = new AtomicLong(-5 * SECOND);
    private final List<String> seen = new ArrayList<>();
    private final Termination termination = new Termination(now::get, code -> seen.add("exit " + code));
    private boolean failed;

    private void send(String signal, int number, long afterNanos) {
        now.addAndGet(afterNanos);
        termination.signal(signal, number);
    }

    private void term(long afterNanos) {
        send(Signals.TERM, Signals.NUMBER_OF_TERM, afterNanos);
    }

    private void usr1(long afterNanos) {
        send(Signals.USR1, Signals.NUMBER_OF_USR1, afterNanos);
    }

    /// Called only by the tests that need it, and not by the constructor, because signal handlers apply to the
    /// whole JVM.
    private void register() {
        termination.ofRank(() -> failed, seen::add);
        termination.add(() -> seen.add("callback"));
        Signals.restore(Signals.TERM);
        Signals.restore(Signals.INT);
        Signals.ignore(Signals.USR1);
    }

    @Test
    void theSecondSignalTerminatesTheProcess() {
        register();
        term(0);
        assertThat(seen).containsExactly("callback");
        term(2 * SECOND);
        assertThat(seen).containsExactly("callback", "exit 143");
        send(Signals.INT, Signals.NUMBER_OF_INT, 2 * SECOND);
        assertThat(seen).last().isEqualTo("exit 130");
    }

    @Test
    void aForwardedSignalCountsOnce() {
        register();
        term(0);
        term(SECOND / 2);
        usr1(0);
        assertThat(seen).containsExactly("callback");
    }

    @Test
    void aNoticeBeforeTheEndIsNoEnd() {
        register();
        usr1(0);
        usr1(60 * SECOND);
        term(60 * SECOND);
        assertThat(seen).containsExactly("callback", "callback", "callback");
    }

    @Test
    void aJobThatHasFailedRunsNoCallback() {
        register();
        failed = true;
        term(0);
        assertThat(seen).containsExactly("exit 143");
    }

    @Test
    void aNoticeWithoutCallbackIsOneLine() {
        termination.ofRank(() -> false, seen::add);
        usr1(0);
        assertThat(seen)
                .containsExactly(
                        "SIGUSR1 is ignored: the program has not registered a callback with Mpi.onTermination");
    }

    @Test
    void aCallbackThatFailsDoesNotKeepTheNextSignalOut() {
        register();
        termination.add(() -> {
            throw new IllegalStateException("planted");
        });
        for (int i = 1; i <= 2; i++) {
            try {
                usr1(2 * SECOND);
            } catch (IllegalStateException e) {
                seen.add(e.getMessage());
            }
        }
        assertThat(seen).containsExactly("callback", "planted", "callback", "planted");
    }
}
