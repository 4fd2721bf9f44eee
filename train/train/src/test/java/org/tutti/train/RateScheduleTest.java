package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RateScheduleTest {
    /// The expected numbers are from PyTorch: CosineAnnealingLR, LinearLR and StepLR with the same arguments.
    @Test
    void ratesAreThoseOfTheFormulas() {
        RateSchedule cosine = RateSchedule.cosine(1, 0.2, 10);
        assertThat(cosine.at(0)).isEqualTo(1);
        assertThat(cosine.at(5)).isCloseTo(0.6, within(1e-12));
        assertThat(cosine.at(3)).isCloseTo(0.2 + 0.4 * (1 + Math.cos(0.3 * Math.PI)), within(1e-12));
        assertThat(cosine.at(10)).isCloseTo(0.2, within(1e-12));
        assertThat(cosine.at(1000)).isCloseTo(0.2, within(1e-12));
        RateSchedule linear = RateSchedule.linear(0.5, 1, 4);
        assertThat(linear.at(1)).isEqualTo(0.625);
        assertThat(linear.at(9)).isEqualTo(1);
        RateSchedule stepwise = RateSchedule.stepwise(1, 0.1, 30);
        assertThat(stepwise.at(29)).isEqualTo(1);
        assertThat(stepwise.at(60)).isCloseTo(0.01, within(1e-15));
        assertThat(RateSchedule.constant(3).at(7)).isEqualTo(3);
    }

    @Test
    void aWarmUpRisesToTheBeginAndThenGoesOnThere() {
        RateSchedule rates = RateSchedule.cosine(2, 0, 10).withWarmup(4);
        assertThat(rates.at(0)).isEqualTo(0.5);
        assertThat(rates.at(3)).isEqualTo(2);
        assertThat(rates.at(4)).isEqualTo(2);
        assertThat(rates.at(14)).isCloseTo(0, within(1e-12));
        assertThatThrownBy(() -> rates.withWarmup(0)).hasMessage("a schedule of 0 steps");
    }

    @Test
    void aRateThatIsNoNumberIsRejected() {
        assertThatThrownBy(() -> RateSchedule.cosine(Double.NaN, 0, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("RateSchedule.cosine: NaN; rates and factors are finite and not negative");
        assertThatThrownBy(() -> RateSchedule.linear(0.1, Double.POSITIVE_INFINITY, 10))
                .hasMessage("RateSchedule.linear: Infinity; rates and factors are finite and not negative");
        assertThatThrownBy(() -> RateSchedule.stepwise(0.1, -0.5, 10))
                .hasMessage("RateSchedule.stepwise: -0.5; rates and factors are finite and not negative");
        assertThatThrownBy(() -> RateSchedule.constant(-1))
                .hasMessage("RateSchedule.constant: -1.0; rates and factors are finite and not negative");
    }

    @Test
    void aNegativeStepIsRejected() {
        RateSchedule cosine = RateSchedule.cosine(1, 0, 10);
        for (RateSchedule rates : new RateSchedule[] {
            cosine,
            cosine.withWarmup(4),
            RateSchedule.linear(1, 0, 10),
            RateSchedule.stepwise(1, 0.1, 3),
            RateSchedule.constant(1)
        }) {
            assertThatThrownBy(() -> rates.at(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("RateSchedule: step -1; steps are numbered from 0");
        }
        assertThatThrownBy(() -> cosine.withWarmup(4).momentumAt(-1)).hasMessageStartingWith("RateSchedule: step -1");
    }
}
