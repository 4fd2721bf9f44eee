package org.tutti.train.torch.graph.file;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks that all elements of a tensor are inside its storage.
final class StorageBounds {
    private static final int MOST_DIMENSIONS = 64;

    private StorageBounds() {}

    /// Returns the problem, or null if there is none.
    static @Nullable String problem(StoredTensor tensor) {
        List<Long> sizes = tensor.sizes(), strides = tensor.strides();
        if (sizes.size() != strides.size()) return "has " + sizes.size() + " sizes and " + strides.size() + " strides";
        if (sizes.size() > MOST_DIMENSIONS) return "has " + sizes.size() + " dimensions; at most 64 are supported";
        if (tensor.offset() < 0) return "has the storage offset " + tensor.offset();
        long bytes = tensor.storage().byteSize();
        try {
            long last = tensor.offset(), elements = 1;
            for (int i = 0; i < sizes.size(); i++) {
                long size = sizes.get(i), stride = strides.get(i);
                if (size < 0 || stride < 0) return "has a size of " + size + " with a stride of " + stride;
                elements = Math.multiplyExact(elements, size);
                if (size > 0) last = Math.addExact(last, Math.multiplyExact(size - 1, stride));
            }
            // a tensor without elements reads nothing, whatever the strides are
            long end = elements == 0
                    ? 0
                    : Math.multiplyExact(Math.addExact(last, 1), tensor.type().sizeBytes());
            return end <= bytes ? null : "ends at byte " + end + " of a storage of " + bytes + shape(tensor);
        } catch (ArithmeticException e) {
            return "has more elements than 64 bits can count" + shape(tensor);
        }
    }

    private static String shape(StoredTensor tensor) {
        return ": " + tensor.type() + " with sizes " + Json.shown(tensor.sizes().toString()) + ", strides "
                + Json.shown(tensor.strides().toString()) + ", offset " + tensor.offset();
    }
}
