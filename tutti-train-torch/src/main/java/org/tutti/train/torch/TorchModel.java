package org.tutti.train.torch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.FunctionPostHook;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Node;
import org.bytedeco.pytorch.StringTensorDictItem;
import org.bytedeco.pytorch.StringTensorDictItemVector;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;

/// A module of libtorch as data parallelism sees it. Its gradients are read and written where they are, and
/// each is told of as soon as backward has finished with it.
///
/// What does not require a gradient when this is made is not trained, and treated as a buffer. The module
/// must keep its tensors where they are: convert it (`to`) before.
public final class TorchModel implements DataParallelModel {
    private final Module module;
    private final List<Entry> trained = new ArrayList<>();

    /// libtorch calls them and does not keep them; what Java forgets, it frees.
    private final List<Pointer> hooks = new ArrayList<>();

    private record Entry(String name, org.bytedeco.pytorch.Tensor tensor, long address) {}

    private TorchModel(Module module) {
        this.module = module;
        Set<Long> seen = new HashSet<>();
        for (Entry e : entries(module.named_parameters().items())) {
            // a tensor that two layers share is one parameter
            if (!e.tensor.requires_grad() || !seen.add(e.address)) continue;
            e.tensor.retainReference(); // also when the caller's PointerScope ends
            trained.add(e);
        }
    }

    /// The module's parameters and buffers, with those of the modules in it.
    ///
    /// @throws TrainingException when one is not in the CPU's memory, in one piece
    public static TorchModel of(Module module) {
        return new TorchModel(module);
    }

    private static List<Entry> entries(StringTensorDictItemVector items) {
        List<Entry> all = new ArrayList<>();
        for (long i = 0; i < items.size(); i++) {
            StringTensorDictItem item = items.get(i);
            // a tensor of its own: what value() gives lies in the list, and goes with it
            org.bytedeco.pytorch.Tensor tensor = new org.bytedeco.pytorch.Tensor(item.value());
            all.add(new Entry(item.key().getString(), tensor, tensor.data_ptr().address()));
        }
        return all;
    }

    @Override
    public List<Tensor> parameters() {
        return trained.stream().map(e -> Tensors.shared(e.name, e.tensor)).toList();
    }

    /// Buffers, and parameters that are not trained.
    @Override
    public List<Tensor> buffers() {
        List<Tensor> all = new ArrayList<>();
        try (PointerScope scope = new PointerScope()) {
            Set<Long> seen = new HashSet<>();
            for (Entry e : trained) seen.add(e.address);
            List<Entry> entries = entries(module.named_parameters().items());
            entries.addAll(entries(module.named_buffers().items()));
            for (Entry e : entries) if (seen.add(e.address)) all.add(Tensors.shared(e.name, e.tensor));
        }
        return all;
    }

    @Override
    public @Nullable MemorySegment gradient(int i) {
        org.bytedeco.pytorch.Tensor gradient = trained.get(i).tensor.mutable_grad();
        if (!gradient.defined()) return null;
        // backward may leave a view, of a row that was repeated for instance
        if (!gradient.is_contiguous()) gradient.put(gradient.contiguous());
        return Tensors.memory(gradient);
    }

    @Override
    public MemorySegment makeGradient(int i) {
        org.bytedeco.pytorch.Tensor tensor = trained.get(i).tensor;
        tensor.mutable_grad().put(torch.zeros_like(tensor));
        MemorySegment made = gradient(i);
        if (made == null) throw new IllegalStateException(trained.get(i).name + " has no gradient that was just made");
        return made;
    }

    @Override
    public boolean onGradientReady(IntConsumer ready) {
        for (int i = 0; i < trained.size(); i++) {
            org.bytedeco.pytorch.Tensor tensor = trained.get(i).tensor;
            // the node that adds up a parameter's gradient is what a view of the parameter leads back to
            Node accumulate = tensor.expand_as(tensor).grad_fn().next_edge(0).function();
            Hook hook = new Hook(ready, i);
            accumulate.add_post_hook(hook);
            accumulate.retainReference();
            hook.retainReference();
            hooks.add(accumulate);
            hooks.add(hook);
        }
        return true;
    }

    private static final class Hook extends FunctionPostHook {
        private final IntConsumer ready;
        private final int parameter;

        Hook(IntConsumer ready, int parameter) {
            this.ready = ready;
            this.parameter = parameter;
        }

        @Override
        public TensorVector apply(TensorVector outputs, TensorVector inputs) {
            ready.accept(parameter);
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
        for (Entry e : trained) {
            if (e.tensor.data_ptr().address() == e.address) continue;
            scope.close();
            throw new TrainingException("the numbers of parameter " + e.name
                    + " have moved since TorchModel.of; convert the module, with to() for instance, before that");
        }
        return scope;
    }
}
