package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.model.DType;
import org.tutti.train.torch.pickle.Pickle;

/// Reads a dictionary of tensors that `torch.save` has written: a zip file with a pickle, and one entry per storage.
/// Exported programs of earlier versions of PyTorch contain such files.
final class SavedTensors {
    private static final String PICKLE = "data.pkl";
    private static final long LARGEST_PICKLE = 1 << 30;

    private SavedTensors() {}

    /// @param where the file and the entry, for errors
    static Map<String, StoredTensor> read(MemorySegment saved, String where, Arena arena) throws IOException {
        // an empty entry is Python's None
        if (saved.byteSize() == 0) return Map.of();
        if (!MappedZip.isZip(saved)) throw new CheckpointException(where + " is not a file of torch.save");
        TorchArchive archive = TorchArchive.in(new MappedZip(saved, where, false), where);
        Storages storages = archive.storages("data/", arena);
        Map<String, StoredTensor> read = new LinkedHashMap<>();
        for (Map.Entry<String, Pickle.Saved> entry : tensors(archive).entrySet()) {
            read.put(entry.getKey(), tensor(entry.getKey(), entry.getValue(), storages));
        }
        return read;
    }

    private static Map<String, Pickle.Saved> tensors(TorchArchive archive) throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            return Pickle.readTensors(
                    archive.contents(PICKLE, LARGEST_PICKLE, scratch).toArray(ValueLayout.JAVA_BYTE));
        } catch (IllegalArgumentException e) {
            throw new CheckpointException(archive.where() + ": the pickle " + e.getMessage());
        }
    }

    private static StoredTensor tensor(String name, Pickle.Saved saved, Storages storages) throws IOException {
        Pickle.Stored stored = saved.tensor();
        DType type = TensorTypes.named(stored.type());
        if (type == null)
            throw storages.refused(name, "is " + GraphJson.shown(stored.type()) + ", which is not supported");
        return storages.tensor(
                name,
                stored.record(),
                type,
                stored.shape(),
                stored.strides(),
                stored.offset(),
                saved.isParameter(),
                saved.requiresGradient());
    }
}
