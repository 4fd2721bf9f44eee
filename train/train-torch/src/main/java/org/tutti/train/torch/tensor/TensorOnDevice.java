package org.tutti.train.torch.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage.OnDevice;

/// The memory of a contiguous tensor on a GPU. The tensor must remain allocated while this object is used.
/// [#address] waits for all previous work on this thread's stream, so the returned address can be used
/// immediately.
///
/// @param device the name of the device in libtorch and Tutti, for example `cuda:0`
public record TensorOnDevice(Tensor tensor, DType type, String device) implements OnDevice {
    @Override
    public long address() {
        settle();
        return Tensors.addressOf(tensor);
    }

    @Override
    public long sizeBytes() {
        return tensor.nbytes();
    }

    @Override
    public void copyTo(MemorySegment target) {
        if (sizeBytes() == 0) return;
        try (PointerScope scope = new PointerScope()) {
            target.copyFrom(Tensors.memory(tensor.detach().cpu()));
        }
    }

    @Override
    public void copyFrom(MemorySegment source) {
        if (sizeBytes() == 0) return;
        try (Arena arena = Arena.ofConfined();
                PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            MemorySegment copy = arena.allocate(sizeBytes(), Long.BYTES).copyFrom(source);
            long[] shape = Tensors.shape(tensor).stream().mapToLong(d -> d).toArray();
            Tensor from = Tensors.over(copy, type, shape);
            tensor.copy_(from);
            settle();
            from.releaseReference();
        }
    }

    /// Waits for the stream, by copying a number to the CPU.
    private void settle() {
        if (sizeBytes() == 0) return;
        try (PointerScope scope = new PointerScope()) {
            tensor.detach().flatten().narrow(0, 0, 1).cpu();
        }
    }

    /// Returns a tensor of zeros on the device of `like`, for example for gradients that are sent to other
    /// ranks.
    public static TensorOnDevice zeros(long count, DType type, Tensor like) {
        try (PointerScope scope = new PointerScope()) {
            Tensor made = torch.zeros(new long[] {count}, Tensors.options(type, like.device()));
            made.retainReference();
            return new TensorOnDevice(made, type, like.device().str().getString());
        }
    }
}
