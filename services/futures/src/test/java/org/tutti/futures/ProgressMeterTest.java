package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressMeterTest {
    @Test
    void aLineShowsTheProgress() {
        assertThat(ProgressMeter.line("lines", 412, 960, 4, 0.34))
                .isEqualTo("lines  412/960  42 %  1.2 k/s  0:00:00 left  on 4 workers");
        assertThat(ProgressMeter.line("lines", 50, 7300, 1, 50))
                .isEqualTo("lines  50/7300  0 %  1.0 /s  2:00:50 left  on 1 worker");
        assertThat(ProgressMeter.line("lines", 960, 960, 4, 65))
                .isEqualTo("lines  960/960  100 %  14.8 /s  in 0:01:05  on 4 workers");
        assertThat(ProgressMeter.line("lines", 3_000_000, -1, 4, 1)).isEqualTo("lines  3000000  3.0 M/s  on 4 workers");
    }
}
