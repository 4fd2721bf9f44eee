package org.tutti.train.djl;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.BatchNorm;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;

class DjlModelTest {
    private static SequentialBlock net(NDManager manager, DataType type) {
        SequentialBlock net = new SequentialBlock()
                .add(Linear.builder().setUnits(3).build())
                .add(BatchNorm.builder().build())
                .add(Activation::relu)
                .add(Linear.builder().setUnits(2).build());
        net.initialize(manager, type, new Shape(1, 4));
        return net;
    }

    private interface Body {
        void run(NDManager manager) throws Exception;
    }

    private static void withManager(Body body) {
        SingleRank.run(group -> {
            try (NDManager manager = NDManager.newBaseManager()) {
                body.run(manager);
            }
        });
    }

    private static void backward(NDManager manager, SequentialBlock net, DataType type) {
        try (GradientCollector collector = manager.getEngine().newGradientCollector()) {
            NDArray x = manager.arange(12f).reshape(3, 4).toType(type, false);
            NDList y = net.forward(new ParameterStore(manager, false), new NDList(x), true);
            collector.backward(y.head().square().sum());
        }
    }

    @Test
    void parametersHaveTheBlocksOrderAndNames() {
        withManager(manager -> {
            DjlModel model = DjlModel.of(net(manager, DataType.FLOAT32));
            assertThat(model.parameters())
                    .extracting(t -> t.spec().toString())
                    .containsExactly(
                            "01Linear_weight F32[3, 4]",
                            "01Linear_bias F32[3]",
                            "02BatchNorm_gamma F32[3]",
                            "02BatchNorm_beta F32[3]",
                            "04Linear_weight F32[2, 3]",
                            "04Linear_bias F32[2]");
            assertThat(model.buffers())
                    .extracting(Tensor::name)
                    .containsExactly("02BatchNorm_runningMean", "02BatchNorm_runningVar");
            assertThat(model.frozen()).isEmpty();
        });
    }

    @Test
    void itsMemoryIsThatOfTheArrays() {
        withManager(manager -> {
            SequentialBlock net = net(manager, DataType.FLOAT32);
            DjlModel model = DjlModel.of(net);
            NDArray bias = net.getParameters().get("01Linear_bias").getArray();
            model.parameters().get(1).data().setAtIndex(JAVA_FLOAT, 2, 7.5f);
            assertThat(bias.toFloatArray()).containsExactly(0, 0, 7.5f);
        });
    }

    @Test
    void gradientsAreAccessedInPlace() {
        for (DataType type : new DataType[] {DataType.FLOAT32, DataType.FLOAT64}) {
            withManager(manager -> {
                SequentialBlock net = net(manager, type);
                DjlModel model = DjlModel.of(net);
                assertThat(model.parameters().getFirst().spec().dtype())
                        .isEqualTo(type == DataType.FLOAT32 ? DType.F32 : DType.F64);
                assertThat(model.gradient(0)).isNull();
                backward(manager, net, type);
                try (AutoCloseable step = model.openStep()) {
                    for (int i = 0; i < model.parameters().size(); i++) {
                        Parameter parameter = net.getParameters().valueAt(i < 4 ? i : i + 2);
                        MemorySegment data = java.util.Objects.requireNonNull(model.gradient(i));
                        try (NDArray gradient = parameter.getArray().getGradient()) {
                            byte[] there = new byte[(int) data.byteSize()];
                            gradient.toByteBuffer().get(there);
                            assertThat(data.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                                    .isEqualTo(there);
                            data.fill((byte) 0);
                            assertThat(gradient.countNonzero().getLong()).isZero();
                        }
                    }
                    assertThat(step).isNotNull();
                }
            });
        }
    }

    @Test
    void aGradientThatIsNotThereIsMadeOfZeros() {
        withManager(manager -> {
            SequentialBlock net = net(manager, DataType.FLOAT32);
            DjlModel model = DjlModel.of(net);
            try (GradientCollector collector = manager.getEngine().newGradientCollector()) {
                model.createGradient(4).setAtIndex(JAVA_FLOAT, 5, 3);
                assertThat(collector).isNotNull(); // a second one would be refused
            }
            NDArray weight = net.getParameters().get("04Linear_weight").getArray();
            assertThat(weight.getGradient().toFloatArray()).containsExactly(0, 0, 0, 0, 0, 3);
            assertThat(model.gradient(5)).isNull();
        });
    }

    @Test
    void frozenParametersAreNotTrained() {
        withManager(manager -> {
            SequentialBlock net = net(manager, DataType.FLOAT32);
            DjlModel before = DjlModel.of(net);
            assertThat(before.isCurrent()).isTrue();
            net.getChildren().get(0).getValue().freezeParameters(true);
            assertThat(before.isCurrent()).isFalse();
            DjlModel model = DjlModel.of(net);
            assertThat(model.isCurrent()).isTrue();
            assertThat(model.parameters()).hasSize(4);
            assertThat(model.frozen()).extracting(Tensor::name).containsExactly("01Linear_weight", "01Linear_bias");
            assertThat(model.buffers()).hasSize(2);
        });
    }

    @Test
    void aLayerThatIsUsedTwiceCountsOnce() {
        withManager(manager -> {
            var shared = Linear.builder().setUnits(4).build();
            SequentialBlock net = new SequentialBlock().add(shared).add(shared);
            net.initialize(manager, DataType.FLOAT32, new Shape(1, 4));
            assertThat(DjlModel.of(net).parameters()).hasSize(2);
        });
    }

    @Test
    void uninitializedParametersAreRefused() {
        withManager(manager -> {
            SequentialBlock net =
                    new SequentialBlock().add(Linear.builder().setUnits(3).build());
            assertThatThrownBy(() -> DjlModel.of(net))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage(
                            "parameter 01Linear_weight has no numbers yet; call initialize(shapes) of the trainer or the"
                                    + " block first");
        });
    }

    @Test
    void nonContiguousMemoryIsRefused() {
        withManager(manager -> {
            var linear = Linear.builder().setUnits(3).optBias(false).build();
            linear.getParameters()
                    .valueAt(0)
                    .setArray(manager.ones(new Shape(4, 3)).transpose());
            assertThatThrownBy(() -> DjlModel.of(linear))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("weight F32[3, 4] is not contiguous in memory");
        });
    }
}
