package org.tutti.train.djl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.train.OneCycle;
import org.tutti.train.ProcessGroup;
import org.tutti.train.RateSchedule;
import org.tutti.train.ReduceLROnPlateau;
import org.tutti.train.average.AveragedModel;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.Tensor;

class RateTrackerTest {
    /// The gradient of y = wx + b for x = 1 is 1, so a step of plain descent moves a parameter by the rate.
    @Test
    void eachBlockMovesByTheRateOfItsSchedule() {
        SingleRank.run(group -> {
            try (Model model = Model.newInstance("rates");
                    NDManager manager = NDManager.newBaseManager()) {
                Linear first = Linear.builder().setUnits(1).build(),
                        second = Linear.builder().setUnits(1).build();
                model.setBlock(new SequentialBlock()
                        .add(new ai.djl.nn.ParallelBlock(
                                out -> new NDList(
                                        out.get(0).head().add(out.get(1).head())),
                                List.of(first, second))));
                RateSchedule slow = OneCycle.of(0.25, 6).withoutMomentum();
                ReduceLROnPlateau plateau = ReduceLROnPlateau.of(group, 0.5);
                RateTracker rates = RateTracker.of(_ -> plateau.rates()[0]).withBlock(second, slow);
                Optimizer descent =
                        Optimizer.sgd().setLearningRateTracker(rates).build();
                try (DdpTrainer trainer =
                        DdpTrainer.of(model, new DefaultTrainingConfig(Loss.l2Loss()).optOptimizer(descent), group)) {
                    trainer.initialize(new Shape(1, 1));
                    for (int step = 0; step < 6; step++) {
                        float before = bias(first), other = bias(second);
                        try (GradientCollector collector = trainer.newGradientCollector()) {
                            collector.backward(trainer.forward(new NDList(manager.ones(new Shape(1, 1))))
                                    .head()
                                    .sum());
                        }
                        trainer.step();
                        assertThat(before - bias(first)).isCloseTo(step < 3 ? 0.5f : 0.05f, within(1e-6f));
                        assertThat(other - bias(second)).isCloseTo((float) slow.at(step), within(1e-6f));
                        if (step == 2) plateau.restore("epochs=9 best=1.0 badEpochs=0 cooldown=0 rates=0.05");
                    }
                }
            }
        });
    }

    private static float bias(Linear layer) {
        return layer.getParameters().get("bias").getArray().getFloat(0);
    }

    /// Runs six steps; with `state`, resumes from it and runs the last three. Returns all tensors after the
    /// last step, and after three steps.
    private static List<Safetensors> train(ProcessGroup group, List<Safetensors> state) {
        try (Model model = Model.newInstance("model");
                Model second = Model.newInstance("averaged");
                NDManager manager = NDManager.newBaseManager()) {
            model.setBlock(net());
            second.setBlock(net());
            RateTracker rates = RateTracker.of(RateSchedule.cosine(0.1, 0.01, 6).withWarmup(2));
            DefaultTrainingConfig config = new DefaultTrainingConfig(Loss.l2Loss())
                    .optOptimizer(Optimizer.adam().optLearningRateTracker(rates).build());
            try (DdpTrainer trainer = DdpTrainer.of(model, config, group)) {
                Engine.getInstance().setRandomSeed(3);
                trainer.initialize(new Shape(4, 3));
                second.getBlock().initialize(manager, ai.djl.ndarray.types.DataType.FLOAT32, new Shape(4, 3));
                AveragedModel ema = AveragedModel.ema(trainer.dataParallelModel(), DjlModel.of(second.getBlock()), 0.7);
                for (Safetensors s : state) {
                    DjlState.restore(s, trainer);
                    ema.restore(s);
                }
                Safetensors middle = new Safetensors(List.of(), Map.of());
                for (int i = state.isEmpty() ? 0 : 3; i < 6; i++) {
                    if (i == 3) middle = copy(ema.addTo(DjlState.of(trainer, Map.of())));
                    try (GradientCollector collector = trainer.newGradientCollector()) {
                        NDArray x = manager.arange(12f).add(i).sin().reshape(4, 3);
                        collector.backward(
                                trainer.forward(new NDList(x)).head().square().sum());
                    }
                    trainer.step();
                    ema.update();
                }
                return List.of(copy(ema.addTo(DjlState.of(trainer, Map.of()))), middle);
            }
        }
    }

    private static SequentialBlock net() {
        return new SequentialBlock()
                .add(Linear.builder().setUnits(5).build())
                .add(Activation::tanh)
                .add(Linear.builder().setUnits(1).build());
    }

    private static Safetensors copy(Safetensors state) {
        return new Safetensors(
                state.tensors().stream()
                        .map(t -> new Tensor(
                                t.spec(), MemorySegment.ofArray(t.data().toArray(JAVA_BYTE))))
                        .toList(),
                state.metadata());
    }

    @Test
    void aRestoredTrainingHasTheSameRatesAndAverages() {
        SingleRank.run(group -> {
            List<Safetensors> whole = train(group, List.of());
            Safetensors resumed = train(group, List.of(whole.get(1))).getFirst();
            assertThat(resumed.metadata()).containsEntry("averaged_model", "updates=6");
            assertThat(resumed.tensors()).hasSize(4 + 4 + 9);
            for (Tensor t : whole.getFirst().tensors()) {
                assertThat(resumed.tensor(t.name()).data().toArray(JAVA_BYTE))
                        .as(t.name())
                        .isEqualTo(t.data().toArray(JAVA_BYTE));
            }
            Tensor last = resumed.tensor("averaged_model.01Linear_bias");
            assertThat(last.data().toArray(JAVA_BYTE))
                    .isNotEqualTo(resumed.tensor("01Linear_bias").data().toArray(JAVA_BYTE));
        });
    }

    /// The array is not contiguous.
    @Test
    void predictionsAreGathered() {
        SingleRank.run(group -> {
            try (Model model = Model.newInstance("gathered");
                    NDManager manager = NDManager.newBaseManager()) {
                model.setBlock(net());
                try (DdpTrainer trainer = DdpTrainer.of(model, new DefaultTrainingConfig(Loss.l2Loss()), group)) {
                    NDArray mine = manager.arange(6f).reshape(2, 3).transpose();
                    assertThat(trainer.gatherForMetrics(mine)).isEqualTo(mine);
                    NDArray labels = manager.create(new long[] {4, 2});
                    assertThat(trainer.gatherForMetrics(labels)).isEqualTo(labels);
                    assertThat(trainer.gatherForMetrics(manager.zeros(new Shape(0, 2)))
                                    .getShape())
                            .isEqualTo(new Shape(0, 2));
                }
            }
        });
    }

    @Test
    void aMomentumAndAnEmptyBlockAreRejected() {
        assertThatThrownBy(() -> RateTracker.of(OneCycle.of(0.1, 10)))
                .hasMessage(
                        "RateTracker: the schedule has a momentum, and the momentum of DJL's optimizers is constant;"
                                + " use OneCycle.withoutMomentum()");
        RateTracker rates = RateTracker.of(RateSchedule.constant(1));
        assertThatThrownBy(() -> rates.withBlock(Blocks.identityBlock(), RateSchedule.constant(2)))
                .hasMessageStartingWith("withBlock: the block has no parameters");
    }
}
