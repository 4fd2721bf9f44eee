package org.tutti.launch.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AmountsTest {
    @Test
    void amountsHaveThreeDigits() {
        assertThat(Amounts.time(0)).isEqualTo("0 ns");
        assertThat(Amounts.time(999)).isEqualTo("999 ns");
        assertThat(Amounts.time(1_000)).isEqualTo("1.00 µs");
        assertThat(Amounts.time(50_123_456)).isEqualTo("50.1 ms");
        assertThat(Amounts.time(999_600_000)).isEqualTo("1.00 s");
        assertThat(Amounts.time(123_456_000_000L)).isEqualTo("123 s");
        assertThat(Amounts.bytes(78_125)).isEqualTo("76.3 KiB");
        assertThat(Amounts.bytes(1 << 20)).isEqualTo("1.00 MiB");
        assertThat(Amounts.percent(1, 3)).isEqualTo("33.3 %");
        assertThat(Amounts.percent(1, 0)).isEqualTo("0.0 %");
        assertThat(Amounts.times(1) + ", " + Amounts.times(1234)).isEqualTo("once, 1,234 times");
    }
}
