package org.tutti.train.torch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorBase;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.model.GradientBucket;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.torch.tensor.TensorOnDevice;
import org.tutti.train.torch.tensor.Tensors;
import org.tutti.train.torch.tensor.Tensors.Named;

/// Gradients, stored contiguously in a tensor. Backward creates each gradient separately. The gradient is
/// copied once; from then on, the copy is the parameter's gradient in libtorch, until the gradient is
/// discarded. A sparse gradient, for example of an Embedding, is converted to a dense one. In a group with a
/// single rank, gradients are not copied, and sparse gradients stay sparse.
///
/// The copies are tensors over memory, not views of a tensor, because an optimizer refuses to set a gradient to
/// zero if the gradient is a view.
final class FlatGradients implements GradientBucket {
    private final List<Named> parameters;

    private final TensorStorage storage;

    /// All gradients, without the mark ([GradientBucket#setMark]), which follows them in memory. With one rank,
    /// both this tensor and the mark are null.
    private final @Nullable Tensor all;

    private final @Nullable Tensor mark;

    /// The underlying tensor on a device; null on the CPU, where the group allocates the memory.
    private @Nullable Tensor whole;

    /// For each parameter, the slice of `storage`, as a tensor with the parameter's shape.
    private final List<Tensor> slots = new ArrayList<>();

    private boolean isMarked;

    /// @param isOnDevice whether the parameters are on a device, and gradients are sent from it
    FlatGradients(List<Named> parameters, @Nullable LongFunction<MemorySegment> allocator, boolean isOnDevice) {
        this.parameters = parameters;
        DType type = Tensors.type(parameters.getFirst());
        switch (type) {
            case F64, F32, F16, BF16 -> {}
            case F8_E4M3, F8_E5M2, I64, I32, I16, I8, U64, U32, U16, U8, BOOL ->
                throw new IllegalArgumentException(
                        "parameter " + parameters.getFirst().name() + " of type " + type
                                + " cannot be averaged; F64, F32, F16 and BF16 can");
        }
        if (allocator == null) {
            storage = TensorStorage.of(MemorySegment.NULL);
            all = null;
            mark = null;
            return;
        }
        long bytes = parameters.stream().mapToLong(n -> n.tensor().nbytes()).sum();
        Parts parts;
        if (isOnDevice) {
            requireOneDevice();
            TensorOnDevice there = TensorOnDevice.zeros(
                    bytes / type.sizeBytes() + 1, type, parameters.getFirst().tensor());
            storage = there;
            whole = there.tensor();
            parts = (at, shape) -> Tensors.over(there.tensor(), at, type, shape);
        } else {
            MemorySegment memory = allocator.apply(bytes + type.sizeBytes());
            storage = TensorStorage.of(memory);
            parts = (at, shape) -> Tensors.over(memory.asSlice(at), type, shape);
        }
        all = parts.of(0, bytes / type.sizeBytes());
        mark = parts.of(bytes, 1);
        long at = 0;
        for (Named n : parameters) {
            long[] shape = Tensors.shape(n.tensor()).stream().mapToLong(d -> d).toArray();
            slots.add(parts.of(at, shape));
            at += n.tensor().nbytes();
        }
    }

    /// Creates a tensor over the memory that begins at a byte offset.
    private interface Parts {
        Tensor of(long atBytes, long... shape);
    }

    private void requireOneDevice() {
        Named first = parameters.getFirst();
        String device = first.tensor().device().str().getString();
        for (Named n : parameters) {
            String its = n.tensor().device().str().getString();
            if (its.equals(device)) continue;
            throw new TrainingException("parameter " + n.name() + " is on " + its + " and " + first.name() + " on "
                    + device + "; a rank's model is on one device");
        }
    }

    @Override
    public TensorStorage storage() {
        return storage;
    }

    private Tensor gradient(int place) {
        return parameters.get(place).tensor().mutable_grad();
    }

    private static boolean isStoredIn(Tensor gradient, Tensor in) {
        return gradient.defined() && !gradient.is_sparse() && Tensors.addressOf(gradient) == Tensors.addressOf(in);
    }

    @Override
    public void put(int place) {
        if (all == null) return;
        Tensor gradient = gradient(place);
        Tensor slot = slots.get(place);
        if (!gradient.defined()) {
            slot.zero_();
        } else if (gradient.is_sparse()) {
            try (PointerScope scope = new PointerScope()) {
                slot.copy_(gradient.to_dense());
            }
            gradient.put(slot);
        } else if (!isStoredIn(gradient, slot)) {
            slot.copy_(gradient);
            gradient.put(slot);
        }
    }

    @Override
    public void take(int place) {
        if (all == null) return;
        Tensor gradient = gradient(place);
        if (!isStoredIn(gradient, slots.get(place))) gradient.put(slots.get(place));
    }

    @Override
    public boolean isFinite() {
        if (all != null) return isFinite(all);
        for (int place = 0; place < parameters.size(); place++) if (!isFinite(place)) return false;
        return true;
    }

    @Override
    public boolean isFinite(int place) {
        TensorBase of = all == null ? gradient(place) : slots.get(place);
        if (!of.defined()) return true;
        try (PointerScope scope = new PointerScope()) {
            return isFinite(Tensors.values(new Tensor(of)));
        }
    }

    /// Returns whether all numbers are finite. A finite sum, computed in one pass, shows this. Otherwise each
    /// number is checked, because the sum may overflow although all numbers are finite.
    private static boolean isFinite(Tensor numbers) {
        try (PointerScope scope = new PointerScope()) {
            return Double.isFinite(numbers.sum().item_double())
                    || torch.isfinite(numbers).all().item_bool();
        }
    }

    @Override
    public void scale(double factor) {
        try (PointerScope scope = new PointerScope()) {
            Scalar by = new Scalar(factor);
            if (all != null) {
                all.mul_(by);
                return;
            }
            for (int place = 0; place < parameters.size(); place++) {
                if (gradient(place).defined()) gradient(place).mul_(by);
            }
        }
    }

    @Override
    public void setMark(boolean set) {
        isMarked = set;
        if (mark == null) return;
        try (PointerScope scope = new PointerScope()) {
            mark.fill_(new Scalar(set ? 1.0 : 0.0));
        }
    }

    @Override
    public int markCount() {
        if (mark == null) return isMarked ? 1 : 0;
        return (int) mark.item_double();
    }

    /// Moves gradients that are stored in this bucket to separate tensors.
    @Override
    public void close() {
        try (PointerScope scope = new PointerScope()) {
            for (int place = 0; place < slots.size(); place++) {
                Tensor gradient = gradient(place);
                if (isStoredIn(gradient, slots.get(place))) gradient.put(gradient.clone());
            }
        } finally {
            slots.forEach(Tensor::releaseReference);
            if (all != null) all.releaseReference();
            if (mark != null) mark.releaseReference();
            if (whole != null) whole.releaseReference();
        }
    }
}
