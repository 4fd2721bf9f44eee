package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The note of `tutti bench` on a machine with other load.
class IdleCoresTest {
    /// A sample of 40 ticks on two cores.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "2 | 4 | 0 | 36 | 0 | 0 | none",
                "2 | 20 | 10 | 10 | 0 | 0 | other processes use 1.5 of 2 cores; repeat the measurement on an idle machine",
                "2 | 20 | 10 | 0 | 10 | 0 | other processes use 1.5 of 2 cores; repeat the measurement on an idle machine",
                "2 | 40 | 0 | 0 | 0 | 36 | none", // by the launcher itself
                "1 | 20 | 0 | 20 | 0 | 0 | none",
                "1 | 40 | 0 | 0 | 0 | 0 | other processes use 2.0 of 2 cores; repeat the measurement on an idle machine",
                "4 | 0 | 0 | 40 | 0 | 0 | none", // more ranks than cores
                "2 | 0 | 0 | 0 | 0 | 0 | none",
            })
    void loadOfOtherProcessesIsReported(
            int ranks, long user, long stolen, long idle, long waiting, long self, String note) {
        assertThat(IdleCores.note(
                        ranks,
                        statistics(100, 20, 5000, 30),
                        statistics(100 + user, 20 + stolen, 5000 + idle, 30 + waiting),
                        self))
                .isEqualTo(note);
    }

    private static String statistics(long user, long stolen, long idle, long waiting) {
        String times = user + " 0 0 " + idle + " " + waiting + " 0 0 " + stolen + " 7 7\n";
        return "cpu  " + times + "cpu0 " + times + "cpu1 " + times + "intr 1 2 3\n";
    }
}
