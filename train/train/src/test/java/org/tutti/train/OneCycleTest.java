package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class OneCycleTest {
    private static OneCycle cycle(PytorchValues of) {
        OneCycle cycle = OneCycle.of(of.number("max_lr", 0), (long) of.number("total_steps", 0))
                .withPctStart(of.number("pct_start", 0.3))
                .withDivFactor(of.number("div_factor", 25))
                .withFinalDivFactor(of.number("final_div_factor", 1e4))
                .withMomentum(of.number("base_momentum", 0.85), of.number("max_momentum", 0.95));
        if (of.text("anneal_strategy", "cos").equals("linear")) cycle = cycle.withAnneal(OneCycle.Anneal.LINEAR);
        if (of.text("three_phase", "False").equals("True")) cycle = cycle.withThreePhases();
        return of.text("cycle_momentum", "True").equals("True") ? cycle : cycle.withoutMomentum();
    }

    @Test
    void ratesArePytorchs() {
        List<PytorchValues> expected = PytorchValues.named("rate");
        assertThat(expected).hasSize(12);
        for (PytorchValues of : expected) {
            for (int step = 0; step < of.numbers().length; step++) {
                assertThat(cycle(of).at(step))
                        .as("%s, step %d", of.arguments(), step)
                        .isCloseTo(of.numbers()[step], within(1e-12 * of.number("max_lr", 0)));
            }
        }
    }

    @Test
    void momentaArePytorchs() {
        List<PytorchValues> expected = PytorchValues.named("momentum");
        assertThat(expected).hasSize(11);
        for (PytorchValues of : expected) {
            for (int step = 0; step < of.numbers().length; step++) {
                assertThat(cycle(of).momentumAt(step).orElseThrow())
                        .as("%s, step %d", of.arguments(), step)
                        .isCloseTo(of.numbers()[step], within(1e-12));
            }
        }
        assertThat(OneCycle.of(1, 10).withoutMomentum().momentumAt(3)).isEmpty();
    }

    @Test
    void defaultsArePytorchs() {
        OneCycle cycle = OneCycle.of(0.1, 20);
        PytorchValues first = PytorchValues.named("rate").getFirst();
        for (int step = 0; step <= 20; step++) {
            assertThat(cycle.at(step)).isCloseTo(first.numbers()[step], within(1e-13));
        }
    }

    /// PyTorch divides by zero where the first phase has exactly one step.
    @Test
    void everyRateIsFinite() {
        for (int steps = 1; steps < 30; steps++) {
            for (int percent = 0; percent <= 100; percent += 5) {
                for (boolean three : new boolean[] {false, true}) {
                    OneCycle cycle = OneCycle.of(1, steps).withPctStart(percent / 100.0);
                    if (three) cycle = cycle.withThreePhases();
                    for (int step = 0; step <= steps; step++) {
                        assertThat(cycle.at(step))
                                .as("%d steps, %d percent, step %d", steps, percent, step)
                                .isBetween(0.0, 1.0 + 1e-12);
                    }
                }
            }
        }
    }

    @Test
    void aWarmUpKeepsTheMomentum() {
        RateSchedule warm = OneCycle.of(0.1, 20).withWarmup(4);
        assertThat(warm.momentumAt(0)).hasValue(0.95);
        assertThat(warm.momentumAt(4 + 7)).isEqualTo(OneCycle.of(0.1, 20).momentumAt(7));
        assertThat(RateSchedule.constant(1).withWarmup(3).momentumAt(9)).isEmpty();
    }

    @Test
    void wrongArgumentsAreNamed() {
        OneCycle cycle = OneCycle.of(0.1, 20);
        assertThatThrownBy(() -> OneCycle.of(-1, 20)).hasMessage("OneCycle.of: maxRate=-1.0 is not a learning rate");
        assertThatThrownBy(() -> OneCycle.of(Double.NaN, 20)).hasMessageContaining("maxRate=NaN");
        assertThatThrownBy(() -> OneCycle.of(1, 0))
                .hasMessage("OneCycle.of: totalSteps=0; a cycle has at least one step");
        assertThatThrownBy(() -> cycle.at(21))
                .hasMessage("OneCycle: step 21 of a cycle of 20 steps, which are numbered from 0");
        assertThatThrownBy(() -> cycle.momentumAt(-1)).hasMessageContaining("step -1");
        assertThatThrownBy(() -> cycle.withPctStart(30)).hasMessage("withPctStart: 30.0 is not between 0 and 1");
        assertThatThrownBy(() -> cycle.withDivFactor(0))
                .hasMessage("withDivFactor: a factor of 0.0; it must be positive");
        assertThatThrownBy(() -> cycle.withMomentum(0.9, 1))
                .hasMessage("withMomentum: base=0.9, max=1.0; a momentum is at least 0 and less than 1");
    }
}
