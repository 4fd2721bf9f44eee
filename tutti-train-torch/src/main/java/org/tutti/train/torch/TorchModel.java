package org.tutti.train.torch;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntConsumer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.FunctionPostHook;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Node;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;
import org.tutti.train.torch.Tensors.Named;

/// A module of libtorch as data parallelism sees it. Its gradients are read and written where they are, and
/// each is told of as soon as backward has finished with it.
///
/// What does not require a gradient when this is made is not trained, and treated as a buffer. The module
/// must keep its tensors where they are: convert it (`to`) before.
public final class TorchModel implements DataParallelModel {
    private final Module module;
    private final List<Named> trained = new ArrayList<>();

    /// libtorch calls a hook for as long as anything holds its node, another model of the same module for instance, and
    /// does not keep it; what Java forgets, it frees. So hooks stay, and those of a forgotten model do nothing.
    private static final Queue<Hook> HOOKS = new ConcurrentLinkedQueue<>();

    /// The nodes that have the hooks.
    private final List<Pointer> nodes = new ArrayList<>();

    /// Kept for the hooks, which forget it with this model.
    @SuppressWarnings("unused")
    private @Nullable IntConsumer ready;

    private TorchModel(Module module) {
        this.module = module;
        for (Named n : Tensors.ofModule(module)) {
            if (!n.tensor().requires_grad()) continue;
            n.tensor().retainReference(); // also when the caller's PointerScope ends
            trained.add(n);
        }
    }

    /// The module's parameters and buffers, with those of the modules in it.
    ///
    /// @throws TrainingException when one is not in the CPU's memory, in one piece
    public static TorchModel of(Module module) {
        return new TorchModel(module);
    }

    @Override
    public List<Tensor> parameters() {
        return trained.stream().map(Named::shared).toList();
    }

    /// Buffers, and parameters that are not trained.
    @Override
    public List<Tensor> buffers() {
        try (PointerScope scope = new PointerScope()) {
            return Tensors.ofModule(module).stream()
                    .filter(n -> trained.stream().noneMatch(t -> t.isSame(n)))
                    .map(Named::shared)
                    .toList();
        }
    }

    @Override
    public @Nullable MemorySegment gradient(int i) {
        org.bytedeco.pytorch.Tensor gradient = trained.get(i).tensor().mutable_grad();
        if (!gradient.defined()) return null;
        // backward may leave a view, of a row that was repeated for instance
        if (!gradient.is_contiguous()) gradient.put(gradient.contiguous());
        return Tensors.memory(gradient);
    }

    @Override
    public MemorySegment makeGradient(int i) {
        org.bytedeco.pytorch.Tensor tensor = trained.get(i).tensor();
        tensor.mutable_grad().put(torch.zeros_like(tensor));
        MemorySegment made = gradient(i);
        if (made == null)
            throw new IllegalStateException(trained.get(i).name() + " has no gradient that was just made");
        return made;
    }

    @Override
    public boolean onGradientReady(IntConsumer ready) {
        this.ready = ready;
        for (int i = 0; i < trained.size(); i++) {
            org.bytedeco.pytorch.Tensor tensor = trained.get(i).tensor();
            // the node that adds up a parameter's gradient is what a view of the parameter leads back to
            Node accumulate = tensor.expand_as(tensor).grad_fn().next_edge(0).function();
            Hook hook = new Hook(ready, i);
            accumulate.add_post_hook(hook);
            accumulate.retainReference();
            hook.retainReference();
            nodes.add(accumulate);
            HOOKS.add(hook);
        }
        return true;
    }

    private static final class Hook extends FunctionPostHook {
        private final WeakReference<IntConsumer> ready;
        private final int parameter;

        Hook(IntConsumer ready, int parameter) {
            this.ready = new WeakReference<>(ready);
            this.parameter = parameter;
        }

        @Override
        public TensorVector apply(TensorVector outputs, TensorVector inputs) {
            IntConsumer told = ready.get();
            if (told != null) told.accept(parameter);
            return outputs;
        }
    }

    /// Everything native that is made until it is closed is freed then, but for what a
    /// [PointerScope] within has kept or `retainReference` was called on.
    ///
    /// @throws TrainingException when a parameter's numbers are elsewhere than they were
    @Override
    public AutoCloseable openStep() {
        PointerScope scope = new PointerScope();
        for (Named n : trained) {
            if (n.isInPlace()) continue;
            scope.close();
            throw new TrainingException("the numbers of parameter " + n.name()
                    + " have moved since TorchModel.of; convert the module, with to() for instance, before that");
        }
        return scope;
    }
}
