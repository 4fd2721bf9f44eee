package org.tutti.launch.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnitsTest {
    @Test
    void amountsHaveThreeDigits() {
        assertThat(Units.time(0)).isEqualTo("0 ns");
        assertThat(Units.time(999)).isEqualTo("999 ns");
        assertThat(Units.time(1_000)).isEqualTo("1.00 µs");
        assertThat(Units.time(50_123_456)).isEqualTo("50.1 ms");
        assertThat(Units.time(999_600_000)).isEqualTo("1.00 s");
        assertThat(Units.time(123_456_000_000L)).isEqualTo("123 s");
        assertThat(Units.bytes(78_125)).isEqualTo("76.3 KiB");
        assertThat(Units.bytes(1 << 20)).isEqualTo("1.00 MiB");
        assertThat(Units.percent(1, 3)).isEqualTo("33.3 %");
        assertThat(Units.percent(1, 0)).isEqualTo("0.0 %");
        assertThat(Units.times(1) + ", " + Units.times(1234)).isEqualTo("once, 1,234 times");
    }
}
