package org.tutti.train;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorStorage;

/// The buffers of a model, which one rank broadcasts after each step. Without the broadcast, the running means
/// on each rank would include only the samples of this rank, and ranks would evaluate different models. Buffers
/// on the CPU are sent in one message.
///
/// @see <a
///     href="https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html">
///     `broadcast_buffers` of PyTorch</a>
final class Buffers {
    private static final long ALIGNMENT = 8;

    /// Buffers on the CPU, which are sent together.
    private final List<Tensor> onCpu;

    private final List<Tensor> onDevices;
    private final MemorySegment memory;

    Buffers(List<Tensor> buffers, GroupMemory of) {
        onCpu = buffers.stream()
                .filter(b -> b.storage() instanceof TensorStorage.OnCpu)
                .toList();
        onDevices = buffers.stream()
                .filter(b -> b.storage() instanceof TensorStorage.OnDevice)
                .toList();
        long bytes = 0;
        for (Tensor b : onCpu) bytes += room(b);
        memory = bytes == 0 ? MemorySegment.NULL : of.allocate(bytes);
    }

    private static long room(Tensor buffer) {
        return buffer.storage().sizeBytes() + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /// Broadcasts the buffers. All ranks call it.
    void broadcast(ProcessGroup group, int root) {
        onDevices.forEach(b -> group.broadcast(b.storage(), root));
        if (memory.byteSize() == 0) return;
        if (group.rank() == root) move(true);
        group.broadcast(memory, root);
        if (group.rank() != root) move(false);
    }

    private void move(boolean out) {
        long at = 0;
        for (Tensor b : onCpu) {
            MemorySegment there = memory.asSlice(at, b.data().byteSize());
            if (out) there.copyFrom(b.data());
            else b.data().copyFrom(there);
            at += room(b);
        }
    }
}
