package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}
