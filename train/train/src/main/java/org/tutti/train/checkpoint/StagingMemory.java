package org.tutti.train.checkpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorStorage;

/// Memory for a copy of the state, reused by the next copy.
final class StagingMemory {
    private static final long ALIGNMENT = 64;

    private MemorySegment memory = MemorySegment.NULL;

    /// Returns a copy of the state; the copy is valid until the next call.
    Safetensors copy(Safetensors state) {
        long bytes = 0;
        for (Tensor t : state.tensors()) bytes += room(t);
        if (memory.byteSize() < bytes) memory = Arena.ofAuto().allocate(bytes, ALIGNMENT);
        List<Tensor> copies = new ArrayList<>();
        long at = 0;
        for (Tensor t : state.tensors()) {
            MemorySegment copy = memory.asSlice(at, t.spec().sizeBytes());
            if (t.storage() instanceof TensorStorage.OnDevice there) there.copyTo(copy);
            else copy.copyFrom(t.data());
            copies.add(new Tensor(t.spec(), copy));
            at += room(t);
        }
        return new Safetensors(copies, state.metadata());
    }

    private static long room(Tensor t) {
        return (t.spec().sizeBytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
