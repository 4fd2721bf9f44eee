package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.tutti.train.torch.Trials.onRanks;

import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.EmbeddingImpl;
import org.bytedeco.pytorch.EmbeddingOptions;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.HalfPrecision;
import org.tutti.train.LossScaler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.torch.tensor.LibTorch;

class FlatGradientsTest {
    /// A scalar, a matrix and a parameter without numbers.
    static final class Parts extends Module {
        final Tensor scalar;
        final Tensor matrix;
        final Tensor nothing;

        Parts(ScalarType type) {
            scalar = new Tensor(
                    register_parameter("scalar", torch.ones(new long[0]).to(type)));
            matrix = new Tensor(register_parameter("matrix", torch.ones(2, 3).to(type)));
            nothing = new Tensor(register_parameter("nothing", torch.ones(0, 2).to(type)));
        }

        /// The gradient of the scalar is `6 * factor`, the gradient of each element of the matrix is `factor`,
        /// and the gradient of the third parameter is empty.
        Tensor loss(double factor) {
            Tensor sum = matrix.mul(scalar).sum().add(nothing.sum());
            return sum.mul(new Scalar(factor));
        }
    }

    @BeforeAll
    static void load() {
        LibTorch.load();
    }

    private static double[] numbers(Tensor of) {
        double[] all = new double[(int) of.numel()];
        Tensor doubles = of.to(ScalarType.Double).reshape(-1);
        for (int i = 0; i < all.length; i++) all[i] = doubles.select(0, i).item_double();
        return all;
    }

    @ParameterizedTest
    @EnumSource(names = {"Double", "Float", "Half", "BFloat16"})
    void gradientsOfEachShapeAndTypeAreMeans(ScalarType type) {
        onRanks(3, group -> {
            Parts parts = new Parts(type);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group)) {
                SGD optimizer = new SGD(parts.parameters(), new SGDOptions(0));
                for (boolean toNone : new boolean[] {true, false, false, true}) {
                    try (Step step = ddp.step(1)) {
                        optimizer.zero_grad(toNone);
                        parts.loss(1 + group.rank()).backward();
                        step.sync();
                        assertThat(numbers(parts.scalar.grad())).containsExactly(12);
                        assertThat(numbers(parts.matrix.grad())).containsExactly(2, 2, 2, 2, 2, 2);
                        assertThat(parts.nothing.grad().numel()).isZero();
                        optimizer.step();
                    }
                }
            }
            return true;
        });
    }

    @Test
    void aGradientThatRepeatsOneNumberIsWholeAfterwards() {
        onRanks(2, group -> {
            Parts parts = new Parts(ScalarType.Float);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            try (Step step = ddp.step(1)) {
                parts.loss(0).backward();
                step.sync();
            }
            try (Step step = ddp.step(1)) {
                parts.scalar.mutable_grad().put(torch.ones(new long[0]));
                parts.matrix.mutable_grad().put(torch.ones(2, 1).expand(2, 3));
                step.sync();
            }
            assertThat(parts.matrix.grad().is_contiguous()).isTrue();
            assertThat(numbers(parts.matrix.grad())).containsExactly(1, 1, 1, 1, 1, 1);
            return true;
        });
    }

    @Test
    void gradientsSurviveTheGroupClosedBeforeTheModel() {
        Parts parts = new Parts(ScalarType.Float);
        onRanks(2, group -> {
            Parts mine = group.rank() == 0 ? parts : new Parts(ScalarType.Float);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(mine), group);
            try (Step step = ddp.step(1)) {
                mine.loss(1 + group.rank()).backward();
                step.sync();
            }
            return true;
        });
        assertThat(numbers(parts.matrix.grad())).containsExactly(1.5, 1.5, 1.5, 1.5, 1.5, 1.5);
        SGD optimizer = new SGD(parts.parameters(), new SGDOptions(1));
        optimizer.step();
        optimizer.zero_grad(false);
        assertThat(numbers(parts.matrix)).containsExactly(-0.5, -0.5, -0.5, -0.5, -0.5, -0.5);
        assertThat(numbers(parts.matrix.grad())).containsOnly(0);
    }

    @Test
    void gradientsSurviveMpiClosedBeforeTheGroup() {
        Parts parts = new Parts(ScalarType.Float);
        org.tutti.mpi.Tutti.local(2, mpi -> {
            Parts mine = mpi.world().rank() == 0 ? parts : new Parts(ScalarType.Float);
            @SuppressWarnings("resource") // the group is deliberately not closed
            ProcessGroup group = ProcessGroup.of(mpi, mpi.world());
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(mine), group);
            try (Step step = ddp.step(1)) {
                mine.loss(1 + group.rank()).backward();
                step.sync();
            }
        });
        assertThat(numbers(parts.matrix.grad())).containsExactly(1.5, 1.5, 1.5, 1.5, 1.5, 1.5);
    }

    @Test
    void gradientsAreStoredInTheSentMemory() {
        onRanks(2, group -> {
            Parts parts = new Parts(ScalarType.Float);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            long[] at = new long[2];
            for (int i = 0; i < 2; i++) {
                try (Step step = ddp.step(1)) {
                    parts.matrix.mutable_grad().reset();
                    parts.scalar.mutable_grad().reset();
                    parts.loss(1).backward();
                    step.sync();
                    at[i] = parts.matrix.grad().data_ptr().address();
                    assertThat(Math.abs(parts.scalar.grad().data_ptr().address() - at[i]))
                            .isLessThanOrEqualTo(24);
                }
            }
            assertThat(at[0]).isEqualTo(at[1]);
            ddp.close();
            assertThat(parts.matrix.grad().data_ptr().address()).isNotEqualTo(at[0]);
            return true;
        });
    }

    @Test
    void refusesParametersThatCannotBeAveraged() {
        onRanks(1, group -> {
            Module module = new Module();
            module.register_parameter("codes", torch.zeros(3).to(ScalarType.Int), false);
            Tensor complex = torch.zeros(2).to(ScalarType.ComplexFloat);
            module.register_parameter("wave", complex);
            assertThatThrownBy(() -> DistributedDataParallel.of(TorchModel.of(module), group))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("wave is of ComplexFloat, which no checkpoint or message can hold");
            return true;
        });
    }

    @Test
    void theFirstStepKeepsTheDigitsOfShortFloats() {
        onRanks(2, group -> {
            Parts parts = new Parts(ScalarType.Half);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            try (Step step = ddp.step(1)) {
                parts.loss(3e-5).backward();
                double mine = parts.matrix.grad().select(0, 0).select(0, 0).item_double();
                step.sync();
                assertThat(numbers(parts.matrix.grad())[0]).isPositive().isEqualTo(mine);
            }
            return true;
        });
    }

    @Test
    void aScaleThatIsTooSmallLeavesTheStepOut() {
        onRanks(2, group -> {
            Parts parts = new Parts(ScalarType.Float);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            LossScaler scaler = LossScaler.of(0x1p-100, 0);
            try (Step step = ddp.step(1)) {
                parts.loss(1e30).backward(); // finite, but not finite after division by the scale
                assertThat(step.sync(scaler)).isFalse();
            }
            assertThat(scaler.scale()).isEqualTo(0x1p-100);
            return true;
        });
    }

    @Test
    void largeGradientsAreClippedByTheirNorm() {
        onRanks(2, group -> {
            Parts parts = new Parts(ScalarType.Float);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            try (Step step = ddp.step(1)) {
                parts.matrix.mutable_grad().put(torch.ones(2, 3).mul(new Scalar(1.5e38)));
                parts.scalar.mutable_grad().put(torch.zeros(new long[0]));
                parts.nothing.mutable_grad().put(torch.zeros(0, 2));
                step.sync();
                assertThat(step.clipGradNorm(1)).isBetween(3.67e38, 3.68e38);
                for (double x : numbers(parts.matrix.grad())) assertThat(x).isBetween(0.408, 0.409);
            }
            return true;
        });
    }

    /// In each step, the ranks use one common row, and each rank also uses rows that the other rank does not
    /// use.
    @Test
    void sparseGradientsAreTheMeanOfDenseOnes() {
        for (int ranks = 1; ranks <= 2; ranks++) {
            List<double[]> sparse = onRanks(ranks, group -> embedding(group, true));
            List<double[]> dense = onRanks(ranks, group -> embedding(group, false));
            for (int r = 0; r < ranks; r++) assertThat(sparse.get(r)).containsExactly(dense.get(0), within(1e-6));
        }
    }

    private static double[] embedding(ProcessGroup group, boolean isSparse) {
        EmbeddingImpl words = new EmbeddingImpl(new EmbeddingOptions(5, 2));
        words.options().sparse().put(isSparse);
        words.weight().set_data(torch.ones(5, 2));
        TorchModel model = TorchModel.of(words);
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
        SGD optimizer = new SGD(model.trainableParameters(), new SGDOptions(0.5));
        for (int k = 0; k < 3; k++) {
            optimizer.zero_grad();
            try (Step step = ddp.accumulate(2)) {
                lookup(words, 4, 4).backward();
            }
            try (Step step = ddp.step(1)) {
                lookup(words, 1, 2L + group.rank()).backward();
                step.sync();
                assertThat(step.clipGradNorm(0.5)).isGreaterThan(0.5);
                optimizer.step();
            }
        }
        return numbers(words.weight());
    }

    private static Tensor lookup(EmbeddingImpl words, long... rows) {
        return words.forward(Tensor.create(rows)).square().sum();
    }

    @Test
    void aSparseGradientThatIsNotFiniteIsNamed() {
        onRanks(1, group -> {
            EmbeddingImpl words = new EmbeddingImpl(new EmbeddingOptions(5, 2));
            words.options().sparse().put(true);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(words), group);
            try (Step step = ddp.step(1)) {
                lookup(words, 1).mul(new Scalar(Double.POSITIVE_INFINITY)).backward();
                assertThatThrownBy(step::sync).hasMessageContaining("not a finite number in the gradient of weight");
            }
            return true;
        });
    }

    @Test
    void aStepAfterTheGroupsEndIsRefused() {
        List<DistributedDataParallel> all = onRanks(2, group -> {
            return DistributedDataParallel.of(TorchModel.of(new Parts(ScalarType.Float)), group);
        });
        assertThatThrownBy(() -> all.getFirst().step(1)).hasMessage("no step can begin: its group was closed");
    }

    @Test
    void aStepThatIsLeftBeforeBackwardCountsForNothing() {
        onRanks(2, group -> {
            Parts parts = new Parts(ScalarType.Double);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            try (Step step = ddp.accumulate(4)) {
                parts.loss(1).backward();
            }
            ddp.accumulate(12).close(); // like a step that an exception has ended
            ddp.step(3).close();
            try (Step step = ddp.step(4)) {
                parts.loss(3).backward();
                step.sync();
                assertThat(numbers(parts.matrix.grad())[0]).isEqualTo(2);
            }
            return true;
        });
    }

    @Test
    void aStepThatOverflowsOnOneRankIsLeftOutOnAll() {
        List<List<Double>> scales = onRanks(3, group -> {
            Parts parts = new Parts(ScalarType.Float);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            SGD optimizer = new SGD(parts.parameters(), new SGDOptions(1));
            LossScaler scaler = LossScaler.defaults();
            List<Double> seen = new java.util.ArrayList<>();
            for (int i = 0; i < 3; i++) {
                try (Step step = ddp.step(1)) {
                    optimizer.zero_grad();
                    double factor = i == 1 && group.rank() == 2 ? Double.POSITIVE_INFINITY : 0.5;
                    parts.loss(factor).mul(new Scalar(scaler.scale())).backward();
                    boolean finite = step.sync(scaler);
                    assertThat(finite).isEqualTo(i != 1);
                    if (finite) {
                        optimizer.step();
                        seen.add(parts.scalar.grad().item_double());
                    }
                }
                seen.add(scaler.scale());
            }
            return seen;
        });
        // the first step decreases each element of the matrix by 0.5; the scalar's gradient is half the sum of
        // the matrix
        assertThat(scales).containsOnly(List.of(3.0, 65536.0, 32768.0, 1.5, 32768.0));
    }

    @Test
    void sumsThatOverflowAreLeftOutToo() {
        onRanks(3, group -> {
            Parts parts = new Parts(ScalarType.Half);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group);
            LossScaler scaler = LossScaler.of(1, 0);
            try (Step step = ddp.step(1024)) {
                parts.loss(5000).backward(); // three times 30000 exceeds 65504, the maximum of F16
                assertThat(step.sync(scaler)).isFalse();
            }
            assertThat(scaler.scale()).isEqualTo(0.5);
            return true;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void halfOfTheBytesTravel(DType type) {
        onRanks(3, group -> {
            Parts parts = new Parts(ScalarType.Float);
            Options options = Options.DEFAULTS.withHook(new HalfPrecision(type));
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(parts), group, options);
            SGD optimizer = new SGD(parts.parameters(), new SGDOptions(0));
            for (int i = 0; i < 2; i++) {
                try (Step step = ddp.step(1);
                        PointerScope scope = new PointerScope()) {
                    optimizer.zero_grad();
                    parts.loss(1 + group.rank()).backward();
                    step.sync();
                    assertThat(numbers(parts.scalar.grad())[0]).isBetween(11.9, 12.1);
                    for (double x : numbers(parts.matrix.grad())) assertThat(x).isBetween(1.98, 2.02);
                }
            }
            try (Step step = ddp.step(1)) {
                optimizer.zero_grad();
                parts.loss(group.rank() == 1 ? Double.NaN : 1).backward();
                assertThatThrownBy(step::sync)
                        .hasMessageContaining("not a finite number in the gradient of scalar, matrix on rank 1");
            }
            return true;
        });
    }
}
