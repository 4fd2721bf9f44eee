package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.model.DType;

/// The entries of a folder of a zip file, used as the memory of tensors.
final class Storages {
    private static final Pattern ENTRY = Pattern.compile("[A-Za-z0-9_]{1,100}");

    /// The alignment of the storages in memory, in bytes. libtorch uses the same alignment, because vector
    /// instructions may require it.
    private static final int ALIGNMENT = 64;

    private static final int MOST_DIMENSIONS = 64;

    private final MappedZip zip;
    private final String folder, file;
    private final Arena arena;
    private final Map<String, MemorySegment> known = new HashMap<>();

    /// @param folder such as `model/data/weights/`
    /// @param file the file, for errors
    Storages(MappedZip zip, String folder, String file, Arena arena) {
        this.zip = zip;
        this.folder = folder;
        this.file = file;
        this.arena = arena;
    }

    /// Returns the tensor in an entry, after a check that all elements are inside the entry.
    ///
    /// @param name Python's name, for errors
    StoredTensor tensor(
            String name,
            String entry,
            DType type,
            List<Long> sizes,
            List<Long> strides,
            long offset,
            boolean isParameter,
            boolean requiresGradient)
            throws IOException {
        StoredTensor tensor =
                new StoredTensor(storage(name, entry), type, sizes, strides, offset, isParameter, requiresGradient);
        String problem = problem(tensor);
        if (problem != null) throw refused(name, problem);
        return tensor;
    }

    private MemorySegment storage(String name, String entry) throws IOException {
        MemorySegment read = known.get(entry);
        if (read != null) return read;
        if (!ENTRY.matcher(entry).matches())
            throw refused(name, "is in " + GraphJson.shown(entry) + ", which is not the name of an entry");
        if (!zip.has(folder + entry)) throw refused(name, "is in " + entry + ", which the file does not have");
        read = zip.contents(folder + entry, Long.MAX_VALUE, arena);
        if (read.address() % ALIGNMENT != 0) {
            read = arena.allocate(read.byteSize(), ALIGNMENT).copyFrom(read);
        }
        known.put(entry, read);
        return read;
    }

    CheckpointException refused(String tensor, String problem) {
        return new CheckpointException(file + ": " + GraphJson.shown(tensor) + " " + problem);
    }

    private static @Nullable String problem(StoredTensor tensor) {
        List<Long> sizes = tensor.sizes(), strides = tensor.strides();
        if (sizes.size() != strides.size()) return "has " + sizes.size() + " sizes and " + strides.size() + " strides";
        if (sizes.size() > MOST_DIMENSIONS)
            return "has " + sizes.size() + " dimensions; at most " + MOST_DIMENSIONS + " are supported";
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
            // if the tensor has no elements, only the offset must be inside the entry
            long end = Math.multiplyExact(
                    elements == 0 ? tensor.offset() : Math.addExact(last, 1),
                    tensor.type().sizeBytes());
            return end <= bytes ? null : "ends at byte " + end + " of a storage of " + bytes + " bytes" + shape(tensor);
        } catch (ArithmeticException e) {
            return "has more elements than 64 bits can count" + shape(tensor);
        }
    }

    private static String shape(StoredTensor tensor) {
        return ": " + tensor.type() + " with sizes "
                + GraphJson.shown(tensor.sizes().toString()) + ", strides "
                + GraphJson.shown(tensor.strides().toString()) + ", offset " + tensor.offset();
    }
}
