package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.signal.Signals;

class LauncherSignalsTest {
    private final LauncherSignals signals = new LauncherSignals();

    @Test
    void theFirstSignalGivesTheExitCodeAndTheSecondIsImpatient() {
        assertThat(signals.name()).isNull();
        signals.end("SIGTERM", 143);
        assertThat(signals.isImpatient()).isFalse();
        signals.end("SIGINT", 130);
        assertThat(signals.isImpatient()).isTrue();
        assertThat(signals.name()).isEqualTo("SIGTERM");
        assertThat(signals.code()).isEqualTo(143);
    }

    @Test
    void aNoticeIsTakenOnceAndIsNoEnd() {
        signals.notice();
        assertThat(signals.takeNotice()).isTrue();
        assertThat(signals.takeNotice()).isFalse();
        assertThat(signals.name()).isNull();
    }

    @Test
    void theThirdSignalHalts() {
        List<Integer> codes = new ArrayList<>();
        LauncherSignals three = new LauncherSignals(codes::add);
        three.end("SIGINT", 130);
        three.end("SIGTERM", 143);
        assertThat(codes).isEmpty();
        three.end("SIGTERM", 143);
        assertThat(codes).containsExactly(130);
    }

    @Test
    void everyTryHandlesTheNotice() throws InterruptedException {
        Semaphore arrived = new Semaphore(0);
        try (signals) {
            for (int tries = 0; tries < 2; tries++) {
                signals.prepare();
                signals.listen(arrived::release);
                OsPlatform.open().signal(ProcessHandle.current().pid(), Signals.NUMBER_OF_USR1);
                assertThat(arrived.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
                assertThat(signals.takeNotice()).isTrue();
            }
        }
    }

    @Test
    void closeRestoresTheHandlersThatWereThere() throws InterruptedException {
        Semaphore own = new Semaphore(0);
        Runnable restores = Objects.requireNonNull(Signals.replace(Signals.TERM, own::release));
        try {
            try (signals) {
                signals.listen(() -> {});
            }
            OsPlatform.open().signal(ProcessHandle.current().pid(), Signals.NUMBER_OF_TERM);
            assertThat(own.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            assertThat(signals.name()).isNull();
        } finally {
            restores.run();
        }
    }
}
