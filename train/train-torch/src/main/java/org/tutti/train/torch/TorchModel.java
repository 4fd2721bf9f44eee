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
import org.tutti.train.torch.Tensors.Named;

/// A module of libtorch as data parallelism sees it. Of each gradient one is told as soon as backward has
/// finished with it. Where there are several ranks, gradients lie in the memory in which they travel, from
/// then until they are forgotten; a tensor that `grad()` has returned is of no use when the
/// [org.tutti.train.DistributedDataParallel] or its group is closed.
///
/// A module on a GPU (`module.to(new Device("cuda:0"), false)` for instance) is averaged there, in a
/// `DeviceGroup` of `tutti-train-device` with that device.
///
/// What does not require a gradient when this is made is frozen: to train it, make another one. The
/// module must keep its tensors where they are: convert it (`to`) before.
public final class TorchModel implements DataParallelModel {
    /// What there is when it is asked for.
    private final Supplier<List<Named>> buffers;

    private final List<Named> trained = new ArrayList<>();
    private final List<Named> frozen = new ArrayList<>();

    /// Of the models whose gradients somebody has asked for: another one of the same module has the same
    /// hooks.
    private static final Set<TorchModel> TELLING = Collections.newSetFromMap(new WeakHashMap<>());

    /// By the tensor of a parameter.
    private final Map<Long, Hook.Held> hooks = new HashMap<>();

    private static final long MOVED = -1;

    /// Some of the parameters, and where they are.
    private final List<Named> sample = new ArrayList<>();

    private List<Tensor> sampled = List.of();

    private TorchModel(List<Named> parameters, Supplier<List<Named>> buffers) {
        this.buffers = buffers;
        for (Named n : parameters) {
            n.tensor().retainReference(); // also when the caller's PointerScope ends
            (n.tensor().requires_grad() ? trained : frozen).add(n);
        }
    }

    /// The module's parameters and buffers, with those of the modules in it.
    ///
    /// @throws TrainingException when one is not in the CPU's memory or a CUDA device's, in one piece
    public static TorchModel of(Module module) {
        return new TorchModel(Tensors.parametersOf(module), () -> Tensors.buffersOf(module));
    }

    /// The same of a module that Python has written as TorchScript, and `torch.load` has read.
    ///
    /// @throws TrainingException when one is not in the CPU's memory or a CUDA device's, in one piece
    public static TorchModel of(JitModule module) {
        return new TorchModel(Tensors.parametersOf(module), () -> Tensors.buffersOf(module));
    }

    /// Fills in the numbers of a model that was trained elsewhere: each tensor of the module gets the one of
    /// its name, as numbers of its own type, so that `BF16` becomes `F32`.
    ///
    /// @throws TrainingException when one has no counterpart or another shape; nothing has changed then
    public void load(Safetensors from) {
        Fit fit = Fit.of(from, all(), false);
        fit.fill();
    }

    /// As [#load], of the tensors that both have; PyTorch's `load_state_dict(…, strict=False)`. The other tensors are
    /// left as they are and returned.
    ///
    /// @throws TrainingException when the two have no name in common, or one tensor has two shapes
    public IncompatibleKeys loadNonStrict(Safetensors from) {
        Fit fit = Fit.of(from, all(), true);
        fit.fill();
        return new IncompatibleKeys(fit.missingKeys(), fit.unexpectedKeys());
    }

    /// The names of the tensors that [#loadNonStrict] has not filled in.
    ///
    /// @param missingKeys tensors of the module that the file does not have
    /// @param unexpectedKeys tensors of the file that the module does not have
    public record IncompatibleKeys(List<String> missingKeys, List<String> unexpectedKeys) {}

    List<Named> trainedTensors() {
        return List.copyOf(trained);
    }

    private List<Named> all() {
        List<Named> all = new ArrayList<>(trained);
        all.addAll(frozen);
        all.addAll(buffers.get());
        return all;
    }

    /// The parameters that are trained, for an optimizer.
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

    /// Added up in a type with room enough for squares.
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

    /// libtorch's own count of writes leaves out those of its optimizers.
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

    /// Everything native that is made until it is closed is freed then, but for what a
    /// [PointerScope] within has kept or `retainReference` was called on.
    ///
    /// @throws TrainingException when a parameter's numbers are elsewhere than they were, or one that was
    ///     frozen requires a gradient now
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
                    + "; their gradients would not be averaged. Make another TorchModel and DistributedDataParallel"
                    + " of the module");
        }
        return new PointerScope();
    }
}
