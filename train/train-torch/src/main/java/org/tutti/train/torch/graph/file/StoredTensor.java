package org.tutti.train.torch.graph.file;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.train.model.DType;

/// A tensor in a storage of the file.
///
/// @param storage the whole storage, a private mapping or a copy: a write does not change the file. Tensors
///     that share a storage have the same segment
/// @param sizes the shape
/// @param strides in elements
/// @param offset the index of the first element in the storage
/// @param isParameter false for a buffer or constant
/// @param requiresGradient false for a frozen parameter
public record StoredTensor(
        MemorySegment storage,
        DType type,
        List<Long> sizes,
        List<Long> strides,
        long offset,
        boolean isParameter,
        boolean requiresGradient) {
    /// Returns whether two records describe the same numbers, as for tied weights.
    public boolean isSame(StoredTensor other) {
        return storage.address() == other.storage.address()
                && type == other.type
                && offset == other.offset
                && sizes.equals(other.sizes)
                && strides.equals(other.strides);
    }
}
