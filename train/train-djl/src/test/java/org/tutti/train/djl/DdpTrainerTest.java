package org.tutti.train.djl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.Dropout;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.listener.TrainingListenerAdapter;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.Tensor;

class DdpTrainerTest {
    private static DefaultTrainingConfig config() {
        return new DefaultTrainingConfig(Loss.l2Loss());
    }

    private interface Body {
        void run(DdpTrainer trainer, NDManager manager) throws Exception;
    }

    private static void withTrainer(Body body) {
        SingleRank.run(group -> {
            try (Model model = Model.newInstance("one");
                    NDManager manager = NDManager.newBaseManager()) {
                model.setBlock(net());
                try (DdpTrainer trainer = DdpTrainer.of(model, config(), group)) {
                    body.run(trainer, manager);
                }
            }
        });
    }

    private static SequentialBlock net() {
        return new SequentialBlock()
                .add(Linear.builder().setUnits(5).build())
                .add(Activation::tanh)
                .add(Linear.builder().setUnits(1).build());
    }

    private static void backward(Trainer trainer, NDManager manager) {
        try (GradientCollector collector = trainer.newGradientCollector()) {
            NDArray y =
                    trainer.forward(new NDList(manager.ones(new Shape(2, 3)))).head();
            collector.backward(y.sum());
        }
    }

    private static List<byte[]> trained(Trainer trainer, NDManager manager) throws Exception {
        ArrayDataset data = new ArrayDataset.Builder()
                .setData(manager.arange(32 * 3f).div(96).reshape(32, 3))
                .optLabels(manager.arange(32f).reshape(32, 1).sin())
                .setSampling(8, false)
                .build();
        Engine.getInstance().setRandomSeed(11);
        trainer.initialize(new Shape(1, 3));
        EasyTrain.fit(trainer, 5, data, data);
        return DjlModel.of(trainer.getModel().getBlock()).parameters().stream()
                .map(t -> t.data().toArray(JAVA_BYTE))
                .toList();
    }

    @Test
    void oneRankTrainsLikeDjlsTrainer() {
        withTrainer((trainer, manager) -> {
            List<byte[]> mine = trained(trainer, manager);
            assertThat(trainer.communicationStats().steps()).isEqualTo(20);
            try (Model model = Model.newInstance("own")) {
                model.setBlock(net());
                try (Trainer own = model.newTrainer(config())) {
                    List<byte[]> its = trained(own, manager);
                    for (int i = 0; i < its.size(); i++)
                        assertThat(mine.get(i)).as("%d", i).isEqualTo(its.get(i));
                }
            }
        });
    }

    private static SequentialBlock droppingNet() {
        return new SequentialBlock()
                .add(Linear.builder().setUnits(6).build())
                .add(Dropout.builder().optRate(0.5f).build())
                .add(Linear.builder().setUnits(1).build());
    }

    /// Runs `count` steps with a trainer restored from `state`; returns the final state.
    private static Safetensors steps(Optimizer optimizer, int count, List<Safetensors> state) {
        List<Safetensors> ends = new ArrayList<>();
        SingleRank.run(group -> {
            try (Model model = Model.newInstance("one");
                    NDManager manager = NDManager.newBaseManager()) {
                model.setBlock(droppingNet());
                DefaultTrainingConfig with = config().optOptimizer(optimizer);
                try (DdpTrainer trainer = DdpTrainer.of(model, with, group).withSeed(7)) {
                    Engine.getInstance().setRandomSeed(3);
                    trainer.initialize(new Shape(4, 3));
                    state.forEach(s -> DjlState.restore(s, trainer));
                    for (int i = 0; i < count; i++) {
                        backward(trainer, manager);
                        trainer.step();
                    }
                    Safetensors end = DjlState.of(trainer, Map.of());
                    ends.add(new Safetensors(
                            end.tensors().stream()
                                    .map(t -> new Tensor(
                                            t.spec(),
                                            MemorySegment.ofArray(t.data().toArray(JAVA_BYTE))))
                                    .toList(),
                            Map.of()));
                }
            }
        });
        return ends.getFirst();
    }

    private static Optimizer optimizer(String name) {
        Tracker rate = Tracker.fixed(0.05f);
        return switch (name) {
            case "sgd" ->
                Optimizer.sgd().setLearningRateTracker(rate).optMomentum(0.9f).build();
            case "adam" -> Optimizer.adam().optLearningRateTracker(rate).build();
            default -> Optimizer.adamW().optLearningRateTracker(rate).build();
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"sgd", "adam", "adamw"})
    void aTrainingWithDropoutGoesOnWithTheSameBits(String optimizer) {
        Safetensors whole = steps(optimizer(optimizer), 40, List.of());
        Safetensors half = steps(optimizer(optimizer), 20, List.of());
        Safetensors resumed = steps(optimizer(optimizer), 20, List.of(half));
        assertThat(resumed.tensors()).hasSameSizeAs(whole.tensors());
        for (Tensor t : whole.tensors()) {
            assertThat(resumed.tensor(t.name()).data().mismatch(t.data()))
                    .as(t.name())
                    .isEqualTo(-1);
        }
        assertThat(half.tensor("01Linear_weight")
                        .data()
                        .mismatch(whole.tensor("01Linear_weight").data()))
                .isNotEqualTo(-1);
    }

    @Test
    void theStateOfADifferentOptimizerIsRefused() {
        Safetensors adam = steps(optimizer("adam"), 1, List.of());
        assertThatThrownBy(() -> steps(optimizer("sgd"), 1, List.of(adam)))
                .hasMessageContaining("the checkpoint is not of the optimizer Sgd: it has optimizer.means.01Linear");
    }

    @Test
    void theFirstForwardInitializes() {
        withTrainer((trainer, manager) -> {
            backward(trainer, manager);
            trainer.step();
            assertThat(trainer.communicationStats().steps()).isOne();
            assertThat(trainer.dataParallelModel().parameters()).hasSize(4);
        });
    }

    @Test
    void aStepBeforeAnyParametersIsRefused() {
        withTrainer((trainer, manager) -> assertThatThrownBy(trainer::step)
                .isInstanceOf(TrainingException.class)
                .hasMessage(
                        "a step of a model without parameters; call initialize(shapes) of the trainer before the first"
                                + " one"));
    }

    @Test
    void samplesAreCountedByTheProgramsFunction() {
        withTrainer((trainer, manager) -> {
            trainer.withSampleCounter(data -> 0);
            backward(trainer, manager);
            assertThatThrownBy(trainer::step)
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("step 1: no rank has any sample");
        });
    }

    @Test
    void anEvaluationCountsForNothing() {
        withTrainer((trainer, manager) -> {
            trainer.initialize(new Shape(1, 3));
            trainer.evaluate(new NDList(manager.ones(new Shape(2, 3))));
            assertThatThrownBy(trainer::step).hasMessage("step 1: no rank has any sample");
        });
    }

    @Test
    void listenersAreNotifiedOfOneTrainer() {
        SingleRank.run(group -> {
            int[] heard = {0, 0};
            var listener = new TrainingListenerAdapter() {
                @Override
                public void onTrainingBegin(Trainer trainer) {
                    heard[0]++;
                }

                @Override
                public void onTrainingEnd(Trainer trainer) {
                    heard[1]++;
                }
            };
            try (Model model = Model.newInstance("heard")) {
                model.setBlock(net());
                DdpTrainer.of(model, config().addTrainingListeners(listener), group)
                        .close();
            }
            assertThat(heard).containsExactly(1, 1);
        });
    }

    @Test
    void severalDevicesAreRefused() {
        SingleRank.run(group -> {
            try (Model model = Model.newInstance("devices")) {
                model.setBlock(net());
                DefaultTrainingConfig two = config().optDevices(new Device[] {Device.gpu(0), Device.gpu(1)});
                assertThatThrownBy(() -> DdpTrainer.of(model, two, group))
                        .isInstanceOf(TrainingException.class)
                        .hasMessage("training on [gpu(0), gpu(1)]; each rank trains on the CPU:"
                                + " optDevices(new Device[] {Device.cpu()})");
            }
        });
    }
}
