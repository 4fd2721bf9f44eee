package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.train.average.AveragedModel;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.CpuModel;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.number.ShortFloats;

class AveragedModelTest {
    /// Has tensors as in PyTorch's BatchNorm1d(5): weight, running_mean and num_batches_tracked, but no others.
    private record Norm(DType type, Tensor weight, Tensor mean, Tensor batches) implements CpuModel {
        Norm(DType type) {
            this(type, tensor("weight", type, 5L), tensor("running_mean", type, 5L), tensor("batches", DType.I64));
        }

        private static Tensor tensor(String name, DType type, Long... shape) {
            TensorSpec spec = new TensorSpec(name, type, List.of(shape));
            return new Tensor(spec, Arena.ofAuto().allocate(spec.sizeBytes(), 8));
        }

        void set(Tensor tensor, int i, double value) {
            MemorySegment data = tensor.data();
            switch (type) {
                case F32 -> data.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
                case F64 -> data.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
                default -> data.setAtIndex(ValueLayout.JAVA_SHORT, i, ShortFloats.bits((float) value, type));
            }
        }

        double get(Tensor tensor, int i) {
            MemorySegment data = tensor.data();
            return switch (type) {
                case F32 -> data.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                case F64 -> data.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
                default -> ShortFloats.value(data.getAtIndex(ValueLayout.JAVA_SHORT, i), type);
            };
        }

        @Override
        public List<Tensor> parameters() {
            return List.of(weight);
        }

        @Override
        public List<Tensor> buffers() {
            return List.of(mean, batches);
        }

        @Override
        public MemorySegment gradient(int i) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MemorySegment createGradient(int i) {
            throw new UnsupportedOperationException();
        }
    }

    private static AveragedModel average(PytorchValues of, Norm model, Norm averaged) {
        String decay = of.text("decay", "");
        return decay.equals("None")
                ? AveragedModel.swa(model, averaged)
                : AveragedModel.ema(model, averaged, Double.parseDouble(decay));
    }

    /// Returns the tolerance for a type, about one unit in the last place: libtorch adds and multiplies in one
    /// instruction.
    private static double precision(DType type) {
        return switch (type) {
            case F64 -> 1e-15;
            case F32 -> 5e-7;
            case F16 -> 2e-3;
            default -> 2e-2;
        };
    }

    @Test
    void averagesArePytorchs() {
        List<PytorchValues> all = PytorchValues.named("versions");
        assertThat(all).hasSize(15);
        for (int k = 0; k < all.size(); k++) {
            PytorchValues of = all.get(k);
            DType type = DType.valueOf(of.text("dtype", ""));
            Norm model = new Norm(type), averaged = new Norm(type), withBuffers = new Norm(type);
            AveragedModel plain = average(of, model, averaged);
            AveragedModel buffered = average(of, model, withBuffers).withBuffers();
            for (int version = 0; version < 10; version++) {
                for (int i = 0; i < 5; i++) {
                    model.set(model.weight, i, of.numbers()[version * 5 + i]);
                    model.set(model.mean, i, 2 * of.numbers()[version * 5 + i]);
                }
                model.batches.data().set(ValueLayout.JAVA_LONG, 0, version + 1L);
                plain.update();
                buffered.update();
            }
            assertThat(plain.updates()).isEqualTo(10);
            assertThat(averaged.batches.data().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(10);
            for (int i = 0; i < 5; i++) {
                assertThat(averaged.get(averaged.weight, i))
                        .as("%s", of.arguments())
                        .isCloseTo(PytorchValues.named("average").get(k).numbers()[i], within(precision(type)));
                assertThat(averaged.get(averaged.mean, i))
                        .isEqualTo(PytorchValues.named("mean").get(k).numbers()[i]);
                assertThat(withBuffers.get(withBuffers.mean, i))
                        .as("%s", of.arguments())
                        .isCloseTo(
                                PytorchValues.named("mean_averaged").get(k).numbers()[i], within(2 * precision(type)));
            }
        }
    }

    private static void change(TinyModel model, int step) {
        for (int i = 0; i < 4; i++) {
            long count = model.parameters().get(i).spec().count();
            for (long k = 0; k < count; k++) model.parameter(i, k, Math.sin(step + i + 0.1 * k));
        }
    }

    /// 70,001 numbers: the loop over the second part has vectorized iterations, followed by single ones.
    @Test
    void aLongTensorIsAveragedInFull() {
        TensorSpec spec = new TensorSpec("long", DType.F32, List.of(70_001L));
        Tensor of = new Tensor(spec, Arena.ofAuto().allocate(spec.sizeBytes(), 8));
        Tensor to = new Tensor(spec, Arena.ofAuto().allocate(spec.sizeBytes(), 8));
        Norm shape = new Norm(DType.F32);
        record One(Tensor tensor, Norm rest) implements CpuModel {
            @Override
            public List<Tensor> parameters() {
                return List.of(tensor);
            }

            @Override
            public MemorySegment gradient(int i) {
                return rest.gradient(i);
            }

            @Override
            public MemorySegment createGradient(int i) {
                return rest.createGradient(i);
            }
        }
        AveragedModel ema = AveragedModel.ema(new One(of, shape), new One(to, shape), 0.75);
        ema.update();
        for (int i = 0; i < 70_001; i++) of.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
        ema.update();
        for (int i = 0; i < 70_001; i++) {
            assertThat(to.data().getAtIndex(ValueLayout.JAVA_FLOAT, i)).isEqualTo(i * 0.25f);
        }
    }

    @Test
    void aRestoredAverageContinuesExactly() {
        TinyModel model = new TinyModel(DType.F32, false, 1), whole = new TinyModel(DType.F32, false, 2);
        AveragedModel uninterrupted = AveragedModel.ema(model, whole, 0.9);
        TinyModel half = new TinyModel(DType.F32, false, 3), resumed = new TinyModel(DType.F32, false, 4);
        AveragedModel before = AveragedModel.ema(model, half, 0.9);
        Safetensors saved = new Safetensors(List.of(), Map.of());
        for (int step = 0; step < 8; step++) {
            change(model, step);
            uninterrupted.update();
            if (step < 4) before.update();
            if (step == 3) saved = before.addTo(new Safetensors(model.parameters(), Map.of("epoch", "1")));
        }
        assertThat(saved.metadata())
                .containsEntry("averaged_model", "updates=4")
                .containsEntry("epoch", "1");
        assertThat(saved.tensor("averaged_model.out.bias").spec().shape()).containsExactly(3L);
        AveragedModel after = AveragedModel.ema(model, resumed, 0.9);
        after.restore(saved);
        assertThat(after.updates()).isEqualTo(4);
        for (int step = 4; step < 8; step++) {
            change(model, step);
            after.update();
        }
        assertThat(resumed.all()).isEqualTo(whole.all());
        assertThat(after.updates()).isEqualTo(uninterrupted.updates());
    }

    /// All ranks call addTo, but only rank 0 adds the averages, because two parts with the same tensors would
    /// not be readable.
    @Test
    void onlyThePartOfRank0HasTheAverages() {
        TinyModel model = new TinyModel(DType.F32, false, 1);
        AveragedModel ema = AveragedModel.ema(model, new TinyModel(DType.F32, false, 2), 0.9);
        assertThat(ema.addTo(new Safetensors(List.of(), Map.of(Checkpoints.PART, "1 of 2")))
                        .tensors())
                .isEmpty();
        assertThat(ema.addTo(new Safetensors(List.of(), Map.of(Checkpoints.PART, "0 of 2")))
                        .tensors())
                .hasSize(4);
    }

    @Test
    void theFirstUpdateCopies() {
        TinyModel model = new TinyModel(DType.F64, false, 1), averaged = new TinyModel(DType.F64, false, 2);
        AveragedModel ema = AveragedModel.ema(model, averaged, AveragedModel.DEFAULT_DECAY);
        assertThat(averaged.all()).isEqualTo(model.all());
        change(model, 1);
        ema.update();
        assertThat(averaged.all()).isEqualTo(model.all());
    }

    @Test
    void wrongModelsAndCheckpointsAreNamed() {
        TinyModel model = new TinyModel(DType.F32, false, 1), averaged = new TinyModel(DType.F32, false, 2);
        assertThatThrownBy(() -> AveragedModel.ema(model, averaged, 1.5))
                .hasMessage("AveragedModel.ema: decay=1.5; it must be in [0, 1]");
        assertThatThrownBy(() -> AveragedModel.ema(model, model, 0.9))
                .hasMessage("AveragedModel: hidden.weight of both models is in the same memory; pass a second instance"
                        + " of the model");
        assertThatThrownBy(() -> AveragedModel.ema(model, new TinyModel(DType.F64, false, 1), 0.9))
                .hasMessageContaining("hidden.weight F64[7, 5] is hidden.weight F32[7, 5] in the model");
        assertThatThrownBy(() -> AveragedModel.ema(model, new Norm(DType.F32), 0.9))
                .hasMessageContaining("the averaged model has no hidden.weight F32[7, 5]")
                .hasMessageContaining("the model has no weight F32[5]");
        AveragedModel ema = AveragedModel.ema(model, averaged, 0.9);
        double[] before = averaged.all();
        assertThatThrownBy(() -> ema.restore(new Safetensors(model.parameters(), Map.of())))
                .hasMessageStartingWith("AveragedModel.restore: the checkpoint has no averages");
        Safetensors other = AveragedModel.ema(new Norm(DType.F32), new Norm(DType.F32), 0.9)
                .addTo(new Safetensors(List.of(), Map.of()));
        assertThatThrownBy(() -> ema.restore(other)).hasMessageContaining("the checkpoint has no hidden.weight");
        assertThat(averaged.all()).isEqualTo(before);
        Safetensors saved = ema.addTo(new Safetensors(List.of(), Map.of()));
        assertThatThrownBy(() -> ema.addTo(saved)).hasMessageContaining("two tensors are called averaged_model.");
    }
}
