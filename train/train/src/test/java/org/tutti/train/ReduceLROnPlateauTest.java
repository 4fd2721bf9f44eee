package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.train.ReduceLROnPlateau.Mode;
import org.tutti.train.ReduceLROnPlateau.Options;
import org.tutti.train.ReduceLROnPlateau.ThresholdMode;

class ReduceLROnPlateauTest {
    private static final double[] METRICS =
            PytorchValues.named("metrics").getFirst().numbers();

    private static Options options(PytorchValues of) {
        Options options = Options.DEFAULTS
                .withFactor(of.number("factor", 0.1))
                .withPatience((int) of.number("patience", 10))
                .withThreshold(of.number("threshold", 1e-4))
                .withCooldown((int) of.number("cooldown", 0))
                .withEps(of.number("eps", 1e-8))
                .withMinRates(Arrays.stream(of.text("min_lr", "0").split(","))
                        .mapToDouble(Double::parseDouble)
                        .toArray());
        if (of.text("mode", "min").equals("max")) options = options.withMode(Mode.MAX);
        if (of.text("threshold_mode", "rel").equals("abs")) options = options.withThresholdMode(ThresholdMode.ABS);
        return options;
    }

    private static double metric(PytorchValues of, int epoch) {
        return of.text("mode", "min").equals("max") ? 1 - METRICS[epoch] : METRICS[epoch];
    }

    @Test
    void ratesOfTwoGroupsArePytorchs() {
        List<PytorchValues> heads = PytorchValues.named("head"), bodies = PytorchValues.named("body");
        assertThat(heads).hasSize(10);
        Ranks.run(1, group -> {
            for (int i = 0; i < heads.size(); i++) {
                PytorchValues head = heads.get(i);
                ReduceLROnPlateau plateau = i == 0
                        ? ReduceLROnPlateau.of(group, 0.1, 0.01)
                        : ReduceLROnPlateau.of(group, options(head), 0.1, 0.01);
                for (int epoch = 0; epoch < METRICS.length; epoch++) {
                    double[] before = plateau.rates();
                    boolean isReduced = plateau.step(metric(head, epoch));
                    assertThat(plateau.rates())
                            .as("%s, epoch %d", head.arguments(), epoch)
                            .containsExactly(
                                    head.numbers()[epoch], bodies.get(i).numbers()[epoch]);
                    assertThat(isReduced).isEqualTo(!Arrays.equals(before, plateau.rates()));
                }
            }
            return 0;
        });
    }

    /// Ranks have different numbers of samples, and rank 1 has none; the mean is over all samples.
    @Test
    void ranksDecideFromTheMeanOverAllSamples() {
        Options options = Options.DEFAULTS.withPatience(0).withFactor(0.5);
        for (int ranks = 1; ranks <= 4; ranks++) {
            List<double[]> rates = Ranks.run(ranks, group -> {
                ReduceLROnPlateau plateau = ReduceLROnPlateau.of(group, options, 1);
                long samples = group.rank() == 1 ? 0 : group.rank() + 1;
                double[] worse = {4, 3, 3.5, 2};
                for (double total : worse) {
                    double spread = group.size() < 3 ? 0 : group.rank() == 0 ? 3 : group.rank() == 2 ? -1 : 0;
                    plateau.step(samples == 0 ? Double.NaN : total + spread, samples);
                }
                assertThat(plateau.best()).isEqualTo(2);
                return plateau.rates();
            });
            for (double[] of : rates) assertThat(of).as("%d ranks", ranks).containsExactly(0.5);
        }
    }

    @Test
    void differentMetricsAreRejectedOnAllRanks() {
        List<String> texts = Ranks.run(3, group -> {
            ReduceLROnPlateau plateau = ReduceLROnPlateau.of(group, Options.DEFAULTS.withPatience(0), 0.1);
            assertThat(plateau.step(1.0)).isFalse();
            String text = failure(() -> plateau.step(group.rank() == 2 ? 2.0 : 1.5));
            assertThat(plateau.rates()).containsExactly(0.1);
            assertThat(plateau.step(1.5)).isTrue();
            assertThat(plateau.step(Double.NaN)).isTrue();
            return text;
        });
        assertThat(texts)
                .containsOnly("ReduceLROnPlateau.step: rank 2 has metric=2.0 epochs=1 best=1.0 badEpochs=0 cooldown=0"
                        + " rates=0.1 and rank 0 metric=1.5 epochs=1 best=1.0 badEpochs=0 cooldown=0 rates=0.1; pass one"
                        + " metric on all ranks: step(metric, samples) computes the mean over all samples; and restore"
                        + " the same checkpoint");
    }

    private static String failure(Runnable call) {
        try {
            call.run();
            throw new AssertionError("no exception");
        } catch (TrainingException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void differentOptionsRatesAndStatesAreRejectedOnAllRanks() {
        List<List<String>> texts = Ranks.run(2, group -> {
            List<String> found = new ArrayList<>();
            found.add(failure(() -> ReduceLROnPlateau.of(group, Options.DEFAULTS.withPatience(group.rank()), 0.1)));
            found.add(failure(() -> ReduceLROnPlateau.of(group, 0.1 + group.rank())));
            found.add(failure(() -> ReduceLROnPlateau.of(group)));
            found.add(failure(() -> ReduceLROnPlateau.of(group, Options.DEFAULTS.withMinRates(0, 0), 0.1)));
            ReduceLROnPlateau plateau = ReduceLROnPlateau.of(group, 0.1);
            if (group.rank() == 1) plateau.restore("epochs=3 best=0.5 badEpochs=2 cooldown=0 rates=0.01");
            found.add(failure(() -> plateau.step(1.0, 10)));
            found.add(failure(() -> plateau.step(1.0)));
            ReduceLROnPlateau other = ReduceLROnPlateau.of(group, 0.1);
            found.add(failure(() -> other.step(1.0, 0)));
            found.add(failure(() -> other.step(1.0, -1)));
            return found;
        });
        assertThat(texts.get(0)).isEqualTo(texts.get(1));
        assertThat(texts.get(0).get(0))
                .contains("rank 1 has mode=MIN factor=0.1 patience=1", "set the same on all ranks");
        assertThat(texts.get(0).get(1)).contains("rates=1.1", "rates=0.1");
        assertThat(texts.get(0).get(2)).isEqualTo("ReduceLROnPlateau.of: no learning rate");
        assertThat(texts.get(0).get(3))
                .isEqualTo("ReduceLROnPlateau.of: 2 minimum rates for 1 rates; pass one, or one for each rate");
        assertThat(texts.get(0).get(4)).endsWith("restore the same checkpoint on all ranks");
        assertThat(texts.get(0).get(5)).endsWith("restore the same checkpoint");
        assertThat(texts.get(0).get(6)).isEqualTo("ReduceLROnPlateau.step: no rank has samples");
        assertThat(texts.get(0).get(7)).isEqualTo("ReduceLROnPlateau.step: -1 samples on rank 0");
    }

    @Test
    void aRestoredScheduleContinuesExactly() {
        Ranks.run(1, group -> {
            for (PytorchValues of : PytorchValues.named("head")) {
                for (int saved = 0; saved < METRICS.length; saved += 11) {
                    ReduceLROnPlateau before = ReduceLROnPlateau.of(group, options(of), 0.1, 0.01);
                    for (int epoch = 0; epoch < saved; epoch++) before.step(metric(of, epoch));
                    ReduceLROnPlateau after = ReduceLROnPlateau.of(group, options(of), 0.1, 0.01);
                    after.restore(before.state());
                    for (int epoch = saved; epoch < METRICS.length; epoch++) after.step(metric(of, epoch));
                    assertThat(after.rates()[0]).isEqualTo(of.numbers()[METRICS.length - 1]);
                }
            }
            return 0;
        });
    }

    @Test
    void wrongStatesChangeNothing() {
        Ranks.run(1, group -> {
            ReduceLROnPlateau plateau = ReduceLROnPlateau.of(group, 0.1);
            plateau.step(1.0);
            String state = plateau.state();
            assertThatThrownBy(() -> plateau.restore(null))
                    .hasMessage("ReduceLROnPlateau.restore: the checkpoint has no such text; save Map.of(\"plateau\","
                            + " plateau.state()) as metadata");
            assertThatThrownBy(() -> plateau.restore("epochs=9 best=x badEpochs=1 cooldown=0 rates=0.1"))
                    .hasMessageStartingWith("ReduceLROnPlateau.restore: not a state: epochs=9");
            assertThatThrownBy(() -> plateau.restore("epochs=9 best=1 badEpochs=1 cooldown=0"))
                    .hasMessageContaining("not a state");
            assertThatThrownBy(() -> plateau.restore("epochs=9 best=1 badEpochs=1 cooldown=0 rates=0.1,0.2"))
                    .hasMessageContaining("the checkpoint has 2 learning rates, and there are 1 here");
            for (String wrong : List.of(
                    "epochs=-1 best=1 badEpochs=1 cooldown=0 rates=0.1",
                    "epochs=9 best=NaN badEpochs=1 cooldown=0 rates=0.1",
                    "epochs=9 best=1 badEpochs=-1 cooldown=0 rates=0.1",
                    "epochs=9 best=1 badEpochs=1 cooldown=-1 rates=0.1",
                    "epochs=9 best=1 badEpochs=1 cooldown=0 rates=NaN",
                    "epochs=9 best=1 badEpochs=1 cooldown=0 rates=-0.1")) {
                assertThatThrownBy(() -> plateau.restore(wrong))
                        .hasMessage("ReduceLROnPlateau.restore: not a state: " + wrong);
            }
            assertThat(plateau.state()).isEqualTo(state);
            return 0;
        });
    }

    @Test
    void wrongOptionsAreNamed() {
        assertThatThrownBy(() -> Options.DEFAULTS.withFactor(1))
                .hasMessage("withFactor: factor=1.0; it must be in [0, 1)");
        assertThatThrownBy(() -> Options.DEFAULTS.withPatience(-1))
                .hasMessageContaining("withPatience: -1.0 is negative");
        assertThatThrownBy(() -> Options.DEFAULTS.withThreshold(Double.NaN)).hasMessageContaining("withThreshold: NaN");
        assertThatThrownBy(() -> Options.DEFAULTS.withMinRates(0.1, -1)).hasMessageContaining("withMinRates: -1.0");
    }
}
