package org.tutti.bench.mpi4py;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneralFormatTest {
    /// Python's output for `"%g" % x`.
    @ParameterizedTest
    @CsvSource({
        "0.0107356, 0.0107356",
        "0.5, 0.5",
        "12, 12",
        "0, 0",
        "0.0001, 0.0001",
        "0.00001234567, 1.23457e-05",
        "1e-07, 1e-07",
        "123456.7, 123457",
        "1234567, 1.23457e+06",
        "100000, 100000",
        "999999.9, 1e+06"
    })
    void writesSixDigitsWithoutZerosAtTheEnd(double value, String text) {
        assertThat(GeneralFormat.of(value)).isEqualTo(text);
    }
}
