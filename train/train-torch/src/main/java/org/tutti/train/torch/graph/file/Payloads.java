package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.model.DType;

/// Reads the tensors of a folder of the archive, by the folder's configuration:
///
///     {"config": {"fc.weight": {"path_name": "weight_3", "is_param": true, "use_pickle": false,
///      "tensor_meta": {"dtype": 7, "sizes": [{"as_int": 3}], "strides": [{"as_int": 1}], "storage_offset":
///      {"as_int": 0}, "requires_grad": true, …}}}}
final class Payloads {
    private static final Pattern ENTRY = Pattern.compile("[A-Za-z0-9_]{1,100}");
    private static final int STRIDED = 7;

    /// An entry's contents are aligned as libtorch aligns tensors, because vector instructions may require it.
    private static final int ALIGNMENT = 64;

    private final MappedZip zip;
    private final String folder, file;
    private final Arena arena;
    private final Map<String, MemorySegment> storages = new HashMap<>();

    /// @param folder such as `model/data/weights/`
    Payloads(MappedZip zip, String folder, String file, Arena arena) {
        this.zip = zip;
        this.folder = folder;
        this.file = file;
        this.arena = arena;
    }

    /// The fields of one tensor.
    private static final class Fields {
        @Nullable
        String path;

        boolean isParameter, isPickle, requiresGradient;
        int type;
        @Nullable
        List<Long> sizes, strides;
        long offset;
        int layout = STRIDED;
    }

    Map<String, StoredTensor> read(Json json) throws IOException {
        Map<String, StoredTensor> tensors = new LinkedHashMap<>();
        json.object(field -> {
            if (!field.equals("config")) json.skip();
            else json.object(name -> tensors.put(name, tensor(name, fields(json))));
        });
        return tensors;
    }

    private static Fields fields(Json json) throws IOException {
        Fields read = new Fields();
        json.object(field -> {
            switch (field) {
                case "path_name" -> read.path = json.text();
                case "is_param" -> read.isParameter = json.bool();
                case "use_pickle" -> read.isPickle = json.bool();
                case "tensor_meta" -> {
                    if (!json.isNull()) readMeta(json, read);
                }
                default -> json.skip();
            }
        });
        return read;
    }

    private static void readMeta(Json json, Fields into) throws IOException {
        json.object(field -> {
            switch (field) {
                case "dtype" -> into.type = TensorTypes.checked(json);
                case "sizes" -> into.sizes = List.copyOf(json.list(() -> integer(json)));
                case "strides" -> into.strides = List.copyOf(json.list(() -> integer(json)));
                case "storage_offset" -> into.offset = integer(json);
                case "requires_grad" -> into.requiresGradient = json.bool();
                case "layout" -> into.layout = json.code();
                default -> json.skip();
            }
        });
    }

    /// Reads `{"as_int": 3}`.
    private static long integer(Json json) throws IOException {
        long[] value = new long[1];
        json.union(kind -> {
            if (!kind.equals("as_int")) throw json.refused("must be an integer: the size of a stored tensor is fixed");
            value[0] = json.integer();
        });
        return value[0];
    }

    private StoredTensor tensor(String name, Fields fields) throws CheckpointException {
        if (fields.isPickle) throw refused(name, "is stored as a pickle of Python, which can contain code");
        if (fields.path == null || fields.sizes == null || fields.strides == null || fields.type == 0)
            throw refused(name, "lacks the path, type, sizes or strides");
        if (!ENTRY.matcher(fields.path).matches())
            throw refused(name, "has the path " + Json.shown(fields.path) + ", which is not a name of an entry");
        if (fields.layout != STRIDED)
            throw refused(
                    name,
                    "has the layout " + TensorTypes.layout(fields.layout) + "; only strided tensors are supported");
        DType type = TensorTypes.stored(fields.type);
        if (type == null) throw refused(name, "is " + TensorTypes.name(fields.type) + ", which is not supported");
        MemorySegment storage = storage(name, fields.path);
        StoredTensor tensor = new StoredTensor(
                storage,
                type,
                fields.sizes,
                fields.strides,
                fields.offset,
                fields.isParameter,
                fields.requiresGradient);
        String problem = StorageBounds.problem(tensor);
        if (problem != null) throw refused(name, problem);
        return tensor;
    }

    private MemorySegment storage(String name, String path) throws CheckpointException {
        MemorySegment known = storages.get(path);
        if (known != null) return known;
        String entry = folder + path;
        if (!zip.has(entry)) throw refused(name, "is in " + path + ", which the file does not have");
        MemorySegment read = zip.contents(entry, Long.MAX_VALUE, arena);
        if (read.address() % ALIGNMENT != 0)
            read = arena.allocate(read.byteSize(), ALIGNMENT).copyFrom(read);
        storages.put(path, read);
        return read;
    }

    private CheckpointException refused(String tensor, String problem) {
        return new CheckpointException(file + ": " + Json.shown(tensor) + " " + problem);
    }
}
