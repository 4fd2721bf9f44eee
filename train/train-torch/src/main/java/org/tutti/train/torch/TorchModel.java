package org.tutti.train.torch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.LongArrayRefOptional;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.GradientBucket;
import org.tutti.train.model.GradientListener;
import org.tutti.train.model.ParameterSample;
import org.tutti.train.model.Tensor;
import org.tutti.train.torch.tensor.Fit;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// A module of libtorch for data parallelism. Each gradient is reported as soon as backward has completed it.
/// With several ranks, gradients are stored in send buffers until the gradients are discarded. A tensor that
/// `grad()` has returned is invalid after the [org.tutti.train.DistributedDataParallel] or the group is closed.
///
/// A module on a GPU (for example after `module.to(new Device("cuda:0"), false)`) is averaged on the GPU, in a
/// `DeviceGroup` of `tutti-train-device` with that device.
///
/// Parameters that do not require a gradient when the model is created are frozen. To train frozen parameters,
/// create a new model. The module's tensors must not move, so convert the module (`to`) before this object is
/// created.
public final class TorchModel implements DataParallelModel {
    /// Returns the module's buffers at the time of the call.
    private final Supplier<List<Named>> buffers;

    private final List<Named> trained = new ArrayList<>();
    private final List<Named> frozen = new ArrayList<>();

    /// Models with a gradient listener. A new model of the same module finds the existing hooks of the
    /// parameters here.
    private static final Set<TorchModel> TELLING = Collections.newSetFromMap(new WeakHashMap<>());

    /// The hooks, by the tensor of the parameter.
    private final Map<Long, Hook.Held> hooks = new HashMap<>();

    private static final long MOVED = -1;

    /// Some of the parameters, with the addresses at the time when this object was created.
    private final List<Named> sample = new ArrayList<>();

    private List<Tensor> sampled = List.of();

    private TorchModel(List<Named> parameters, Supplier<List<Named>> buffers) {
        this.buffers = buffers;
        for (Named n : parameters) {
            n.tensor().retainReference(); // also when the caller's PointerScope ends
            (n.tensor().requires_grad() ? trained : frozen).add(n);
        }
    }

    /// Returns a model of the module's parameters and buffers, including nested modules.
    ///
    /// @throws TrainingException if a tensor is not contiguous in memory of the CPU or a CUDA device
    public static TorchModel of(Module module) {
        return new TorchModel(Tensors.parametersOf(module), () -> Tensors.buffersOf(module));
    }

    /// Like [#of(Module)], for a module that was exported by Python as TorchScript, and read by `torch.load`. PyTorch
    /// has deprecated TorchScript; [org.tutti.train.torch.graph.GraphModel] reads files of `torch.export`.
    ///
    /// @throws TrainingException if a tensor is not contiguous in memory of the CPU or a CUDA device
    public static TorchModel of(JitModule module) {
        return new TorchModel(Tensors.parametersOf(module), () -> Tensors.buffersOf(module));
    }

    /// Loads the values of a pretrained model. Each tensor of the module is set to the tensor with the same
    /// name, converted to the module's type, for example from `BF16` to `F32`.
    ///
    /// @throws TrainingException if a tensor is missing, unexpected or of a different shape; then no tensor has
    ///     changed
    public void load(Safetensors from) {
        Fit fit = Fit.of(from, all(), false);
        fit.fill();
    }

    /// As [#load], but loads only the tensors that exist in the file and in the module, as PyTorch's
    /// `load_state_dict(…, strict=False)`. Other tensors are not changed; the result has the names of all
    /// unmatched tensors.
    ///
    /// @throws TrainingException if no name is common, or a tensor has a different shape
    public IncompatibleKeys loadNonStrict(Safetensors from) {
        Fit fit = Fit.of(from, all(), true);
        fit.fill();
        return new IncompatibleKeys(fit.missingKeys(), fit.unexpectedKeys());
    }

    /// The names of the tensors for which [#loadNonStrict] has found no tensor of the same name.
    ///
    /// @param missingKeys tensors of the module that the file does not have
    /// @param unexpectedKeys tensors of the file that the module does not have
    public record IncompatibleKeys(List<String> missingKeys, List<String> unexpectedKeys) {}

    List<Named> trainedTensors() {
        return List.copyOf(trained);
    }

    /// Returns whether a tensor is a frozen parameter.
    boolean isFrozen(long impl) {
        return frozen.stream().anyMatch(n -> n.impl() == impl);
    }

    private List<Named> all() {
        List<Named> all = new ArrayList<>(trained);
        all.addAll(frozen);
        all.addAll(buffers.get());
        return all;
    }

    /// Returns the trained parameters, for an optimizer.
    public TensorVector trainableParameters() {
        TensorVector all = new TensorVector();
        for (Named n : trained) all.push_back(n.tensor());
        return all;
    }

    @Override
    public List<Tensor> parameters() {
        return trained.stream().map(Named::shared).toList();
    }

    @Override
    public List<Tensor> frozen() {
        return frozen.stream().map(Named::shared).toList();
    }

    @Override
    public List<Tensor> buffers() {
        try (PointerScope scope = new PointerScope()) {
            return buffers.get().stream().map(Named::shared).toList();
        }
    }

    @Override
    public boolean hasGradient(int i) {
        return trained.get(i).tensor().mutable_grad().defined();
    }

    @Override
    public void scaleGradient(int i, double factor) {
        trained.get(i).tensor().mutable_grad().mul_(new Scalar(factor));
    }

    @Override
    public double squaredNorm(int i) {
        double norm = norm(i, torch.ScalarType.Float);
        if (!(norm < Float.MAX_VALUE)) norm = norm(i, torch.ScalarType.Double);
        return norm * norm;
    }

    /// Computes the norm in the type `in`, or in `Double` if the gradient has this type.
    private double norm(int i, torch.ScalarType in) {
        org.bytedeco.pytorch.Tensor gradient = trained.get(i).tensor().mutable_grad();
        boolean isDouble = gradient.scalar_type().intern() == torch.ScalarType.Double;
        try (PointerScope scope = new PointerScope()) {
            return torch.linalg_vector_norm(
                            Tensors.values(gradient),
                            new Scalar(2.0),
                            new LongArrayRefOptional(),
                            false,
                            new ScalarTypeOptional(isDouble ? torch.ScalarType.Double : in))
                    .item_double();
        }
    }

    /// Returns a hash of some numbers of the parameters, because libtorch's count of writes does not include
    /// the writes of libtorch's optimizers. Returns -1 if the memory of one of these parameters has moved.
    @Override
    public long parameterVersion() {
        if (sample.isEmpty()) {
            int count = Math.min(ParameterSample.MAX_PARAMETERS, trained.size());
            for (int k = 0; k < count; k++) sample.add(trained.get((int) ((long) k * trained.size() / count)));
            sampled = sample.stream().map(Named::shared).toList();
        }
        for (Named n : sample) if (!n.isInPlace()) return MOVED;
        return ParameterSample.hash(sampled);
    }

    @Override
    public GradientBucket createBucket(List<Integer> parameters, @Nullable LongFunction<MemorySegment> memory) {
        List<Named> chosen = parameters.stream().map(trained::get).toList();
        return new FlatGradients(
                chosen, memory, chosen.stream().anyMatch(n -> n.tensor().is_cuda()));
    }

    @Override
    public boolean setGradientListener(GradientListener listener) {
        synchronized (TELLING) {
            for (Named n : trained) hooks.computeIfAbsent(n.impl(), _ -> hook(n));
            TELLING.add(this);
        }
        for (int i = 0; i < trained.size(); i++) held(i).hook().setListener(listener, i);
        return true;
    }

    private static Hook.Held hook(Named parameter) {
        for (TorchModel m : TELLING) {
            Hook.Held known = m.hooks.get(parameter.impl());
            if (known != null) return known;
        }
        return Hook.Held.of(parameter.tensor());
    }

    private Hook.Held held(int parameter) {
        return Objects.requireNonNull(hooks.get(trained.get(parameter).impl()));
    }

    @Override
    public void removeGradientListener(GradientListener listener) {
        hooks.values().forEach(h -> h.hook().removeListener(listener));
    }

    /// Begins a step. When the result is closed, all native objects that were created in the step are freed,
    /// except objects that a nested [PointerScope] owns or on which `retainReference` was called.
    ///
    /// @throws TrainingException if a parameter's memory has moved, or a frozen parameter now requires a
    ///     gradient
    @Override
    public AutoCloseable openStep() {
        for (Named n : trained) {
            if (n.isInPlace()) continue;
            throw new TrainingException("the numbers of parameter " + n.name()
                    + " have moved since TorchModel.of; convert the module, with to() for instance, before that");
        }
        List<String> released = frozen.stream()
                .filter(n -> n.tensor().requires_grad())
                .map(Named::name)
                .toList();
        if (!released.isEmpty()) {
            throw new TrainingException("frozen when TorchModel.of was called, and to be trained now: "
                    + String.join(", ", released)
                    + "; these gradients would not be averaged. Create a new TorchModel and DistributedDataParallel"
                    + " of the module");
        }
        return new PointerScope();
    }
}
