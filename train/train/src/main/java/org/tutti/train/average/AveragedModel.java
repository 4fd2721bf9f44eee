package org.tutti.train.average;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.number.ShortFloats;

/// Maintains an average of a model's parameters over the steps of a training, in a second instance of the
/// model. The average often predicts better than the parameters of the last step. Corresponds to PyTorch's
/// `swa_utils.AveragedModel`.
///
///     Net averaged = new Net();
///     AveragedModel ema = AveragedModel.ema(shown, TorchModel.of(averaged), 0.999);
///     … optimizer.step();
///     ema.update();                                            after each step, on all ranks
///     … averaged.eval();                                       forward of the second instance uses the averages
///
/// The ranks' parameters are equal, so the averages are equal without communication. A checkpoint contains the
/// averages exactly: [#addTo] and [#restore].
///
/// @see <a href="https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema">PyTorch's weight
///     averaging</a>
public final class AveragedModel {
    /// Prefix of the names of averaged tensors in a checkpoint, for example `averaged_model.fc1.weight`.
    public static final String PREFIX = "averaged_model.";

    private static final String UPDATES = "averaged_model";

    /// The number of elements that one loop processes. It fits into an int, because the compiler vectorizes
    /// only loops with an int index.
    private static final int PART = 1 << 16;

    /// PyTorch's default decay of `get_ema_multi_avg_fn`.
    public static final double DEFAULT_DECAY = 0.999;

    private final DataParallelModel model;
    private final DataParallelModel averaged;

    /// The decay; negative for equal weights.
    private final double decay;

    private final boolean averagesBuffers;
    private long updates;

    private AveragedModel(
            DataParallelModel model, DataParallelModel averaged, double decay, boolean averagesBuffers, long updates) {
        this.model = model;
        this.averaged = averaged;
        this.decay = decay;
        this.averagesBuffers = averagesBuffers;
        this.updates = updates;
    }

    /// Returns an exponential moving average: each update multiplies the average by `decay` and adds the
    /// model's parameters multiplied by `1 - decay`. This is PyTorch's `get_ema_multi_avg_fn(decay)`, with the
    /// default decay [#DEFAULT_DECAY]. Copies all tensors of `model` to `averaged`. Local.
    ///
    /// @param averaged a second instance of the same model, which is not trained
    /// @throws IllegalArgumentException if the decay is not in [0, 1]
    /// @throws TrainingException if the models have different tensors, or share memory
    public static AveragedModel ema(DataParallelModel model, DataParallelModel averaged, double decay) {
        if (!(decay >= 0 && decay <= 1)) {
            throw new IllegalArgumentException("AveragedModel.ema: decay=" + decay + "; it must be in [0, 1]");
        }
        return copied(new AveragedModel(model, averaged, decay, false, 0));
    }

    /// Returns an average with equal weights of all updates (SWA): PyTorch's default. Otherwise as [#ema].
    ///
    /// @throws TrainingException as [#ema]
    public static AveragedModel swa(DataParallelModel model, DataParallelModel averaged) {
        return copied(new AveragedModel(model, averaged, -1, false, 0));
    }

    private static AveragedModel copied(AveragedModel made) {
        Map<Tensor, Tensor> pairs = pairs("the model", all(made.model), all(made.averaged));
        pairs.forEach((from, to) -> {
            if (isShared(from, to)) {
                throw new TrainingException("AveragedModel: " + from.name() + " of both models is in the same memory;"
                        + " pass a second instance of the model");
            }
            to.storage().write(from.storage().read());
        });
        return made;
    }

    /// Returns an average that also includes floating-point buffers, such as the running statistics of a batch
    /// norm; PyTorch's `use_buffers`. By default, an update copies all buffers of the model. With this option,
    /// an update still copies the buffers of other types.
    public AveragedModel withBuffers() {
        return new AveragedModel(model, averaged, decay, true, updates);
    }

    private static List<Tensor> parameters(DataParallelModel of) {
        List<Tensor> all = new ArrayList<>(of.parameters());
        all.addAll(of.frozen());
        return all;
    }

    private static List<Tensor> all(DataParallelModel of) {
        List<Tensor> all = parameters(of);
        all.addAll(of.buffers());
        return all;
    }

    private static boolean isShared(Tensor a, Tensor b) {
        return a.spec().sizeBytes() > 0 && address(a) == address(b);
    }

    private static long address(Tensor tensor) {
        return switch (tensor.storage()) {
            case TensorStorage.OnCpu cpu -> cpu.memory().address();
            case TensorStorage.OnDevice there -> there.address();
        };
    }

    /// Returns pairs of tensors with the same name. Pairs by position could be wrong, because a layer may be
    /// frozen in only one of the two models.
    ///
    /// @param source the origin of `from`, for the error message
    private static Map<Tensor, Tensor> pairs(String source, List<Tensor> from, List<Tensor> averaged) {
        Map<String, Tensor> there = new LinkedHashMap<>();
        averaged.forEach(t -> there.put(t.name(), t));
        Map<Tensor, Tensor> pairs = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        for (Tensor t : from) {
            Tensor other = there.remove(t.name());
            if (other == null) wrong.add("the averaged model has no " + t.spec());
            else if (!other.spec().equals(t.spec())) wrong.add(other.spec() + " is " + t.spec() + " in " + source);
            else pairs.put(t, other);
        }
        there.values().forEach(t -> wrong.add(source + " has no " + t.spec()));
        if (wrong.isEmpty()) return pairs;
        throw new TrainingException(
                "AveragedModel: " + source + " and the averaged model differ: " + String.join("; ", wrong));
    }

    /// Adds the model's current parameters to the average; the first update copies the parameters. PyTorch's
    /// `update_parameters`. Local; all ranks call it after the optimizer's step.
    ///
    /// @throws TrainingException if the model now has other tensors
    public void update() {
        double weight = updates == 0 ? 1 : decay < 0 ? 1.0 / (updates + 1) : 1 - decay;
        boolean isFirst = updates == 0;
        pairs("the model", parameters(model), parameters(averaged))
                .forEach((from, to) -> update(from, to, isFirst, weight));
        pairs("the model", model.buffers(), averaged.buffers())
                .forEach((from, to) -> update(from, to, isFirst || !averagesBuffers, weight));
        updates++;
    }

    private static void update(Tensor from, Tensor to, boolean isCopied, double weight) {
        MemorySegment now = from.storage().read();
        if (isCopied || !isFloat(from.spec().dtype())) {
            to.storage().write(now);
            return;
        }
        MemorySegment average = to.storage().read();
        long count = from.spec().count();
        for (long at = 0; at < count; at += PART) {
            int part = (int) Math.min(PART, count - at);
            switch (from.spec().dtype()) {
                case F32 -> moveFloats(average, now, at, part, (float) weight);
                case F64 -> moveDoubles(average, now, at, part, weight);
                default ->
                    moveShorts(
                            average, now, at, part, (float) weight, from.spec().dtype());
            }
        }
        if (to.storage() instanceof TensorStorage.OnDevice device) device.copyFrom(average);
    }

    private static boolean isFloat(DType type) {
        return type == DType.F32 || type == DType.F64 || type == DType.F16 || type == DType.BF16;
    }

    /// Moves the average towards the current numbers by libtorch's formula for `lerp`, which is exact for the
    /// weights 0 and 1.
    private static void moveFloats(MemorySegment average, MemorySegment now, long at, int part, float weight) {
        if (weight < 0.5f) {
            for (int i = 0; i < part; i++) {
                float start = average.getAtIndex(JAVA_FLOAT_UNALIGNED, at + i);
                float end = now.getAtIndex(JAVA_FLOAT_UNALIGNED, at + i);
                average.setAtIndex(JAVA_FLOAT_UNALIGNED, at + i, start + weight * (end - start));
            }
        } else {
            for (int i = 0; i < part; i++) {
                float start = average.getAtIndex(JAVA_FLOAT_UNALIGNED, at + i);
                float end = now.getAtIndex(JAVA_FLOAT_UNALIGNED, at + i);
                average.setAtIndex(JAVA_FLOAT_UNALIGNED, at + i, end - (end - start) * (1 - weight));
            }
        }
    }

    private static void moveDoubles(MemorySegment average, MemorySegment now, long at, int part, double weight) {
        for (int i = 0; i < part; i++) {
            double start = average.getAtIndex(JAVA_DOUBLE_UNALIGNED, at + i);
            double end = now.getAtIndex(JAVA_DOUBLE_UNALIGNED, at + i);
            average.setAtIndex(
                    JAVA_DOUBLE_UNALIGNED,
                    at + i,
                    weight < 0.5 ? start + weight * (end - start) : end - (end - start) * (1 - weight));
        }
    }

    private static void moveShorts(
            MemorySegment average, MemorySegment now, long at, int part, float weight, DType type) {
        for (int i = 0; i < part; i++) {
            float start = ShortFloats.value(average.getAtIndex(JAVA_SHORT_UNALIGNED, at + i), type);
            float end = ShortFloats.value(now.getAtIndex(JAVA_SHORT_UNALIGNED, at + i), type);
            float moved = weight < 0.5f ? start + weight * (end - start) : end - (end - start) * (1 - weight);
            average.setAtIndex(JAVA_SHORT_UNALIGNED, at + i, ShortFloats.bits(moved, type));
        }
    }

    /// Returns the number of updates; PyTorch's `n_averaged`.
    public long updates() {
        return updates;
    }

    /// Returns a checkpoint's state with the averages, without copies; write the state to the file before the
    /// next update. If each rank saves a part of the checkpoint, only rank 0's part is changed.
    ///
    ///     checkpoints.save(step, ema.addTo(TorchState.of(net, optimizer, Map.of(), group)));
    ///
    /// @throws IllegalArgumentException if the state already has averages
    public Safetensors addTo(Safetensors state) {
        String part = state.metadata().get(Checkpoints.PART);
        if (part != null && !part.startsWith("0 ")) return state;
        List<Tensor> tensors = new ArrayList<>(state.tensors());
        for (Tensor t : all(averaged)) {
            TensorSpec spec = t.spec();
            tensors.add(new Tensor(new TensorSpec(PREFIX + spec.name(), spec.dtype(), spec.shape()), t.storage()));
        }
        Map<String, String> metadata = new LinkedHashMap<>(state.metadata());
        metadata.put(UPDATES, "updates=" + updates);
        return new Safetensors(tensors, metadata);
    }

    /// Restores the averages from a checkpoint, exactly. Local; all ranks call it.
    ///
    /// @throws TrainingException if the checkpoint has no averages, or averages of a different model; then
    ///     nothing changes
    public void restore(Safetensors state) {
        String text = state.metadata().get(UPDATES);
        if (text == null || !text.matches("updates=\\d{1,18}")) {
            throw new TrainingException("AveragedModel.restore: the checkpoint has no averages; save"
                    + " averagedModel.addTo(state), or call update() to begin with the parameters of the model");
        }
        List<Tensor> saved = new ArrayList<>();
        for (Tensor t : state.tensors()) {
            if (!t.name().startsWith(PREFIX)) continue;
            TensorSpec spec = t.spec();
            saved.add(new Tensor(
                    new TensorSpec(spec.name().substring(PREFIX.length()), spec.dtype(), spec.shape()), t.storage()));
        }
        pairs("the checkpoint", saved, all(averaged))
                .forEach((from, to) -> to.storage().write(from.storage().read()));
        updates = Long.parseLong(text.substring(text.indexOf('=') + 1));
    }
}
