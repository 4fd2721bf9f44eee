package org.tutti.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SampleTest {
    @Test
    void theMedianIsTheMiddleOrTheMeanOfTheTwoAroundIt() {
        assertThat(new Sample(5, 1, 3).median()).isEqualTo(3);
        assertThat(new Sample(4, 1, 2, 8).median()).isEqualTo(3);
        assertThat(new Sample().median()).isNaN();
    }

    /// The coverage of the 2nd to the 9th of 10 values is 1 - 2 · (1 + 10) / 1024.
    @Test
    void tenLaunchesAreBoundedByTheSecondFromEitherEnd() {
        assertThat(Sample.place(10)).isEqualTo(2);
        assertThat(Sample.coverage(10, 2)).isCloseTo(0.978516, within(1e-6));
        Sample ten = new Sample(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
        assertThat(ten.low()).isEqualTo(2);
        assertThat(ten.high()).isEqualTo(9);
    }

    @Test
    void fewLaunchesAreBoundedByTheOutermostWhichHoldLess() {
        assertThat(Sample.place(6)).isEqualTo(1);
        assertThat(Sample.coverage(6, 1)).isCloseTo(0.96875, within(1e-6));
        assertThat(Sample.place(2)).isEqualTo(1);
        assertThat(Sample.coverage(2, 1)).isCloseTo(0.5, within(1e-9));
    }

    @Test
    void ratiosAreOfTheSameLaunchAndALaunchWithoutAValueHasNone() {
        Sample ratios = Sample.ratios(new double[] {2, Double.NaN, 9}, new double[] {4, 1, 3});
        assertThat(ratios.size()).isEqualTo(2);
        assertThat(ratios.low()).isEqualTo(0.5);
        assertThat(ratios.high()).isEqualTo(3);
    }
}
