package org.tutti.job.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExitCodeTest {
    @Test
    void aFailureIsNeverZeroAndIsTheCodeOfTheShell() {
        for (int code = -70_000; code <= 70_000; code++) {
            int shell = code & 0xff;
            assertThat(ExitCode.ofFailure(code)).as("%d", code).isEqualTo(shell == 0 ? 1 : shell);
        }
        assertThat(ExitCode.ofFailure(Integer.MIN_VALUE)).isEqualTo(1);
    }
}
