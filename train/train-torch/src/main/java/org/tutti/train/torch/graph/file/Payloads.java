package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.DType;

/// Reads the tensors of a folder of the archive, which the folder's configuration describes:
///
///     {"config": {"fc.weight": {"path_name": "weight_3", "is_param": true, "use_pickle": false,
///      "tensor_meta": {"dtype": 7, "sizes": [{"as_int": 3}], "strides": [{"as_int": 1}], "storage_offset":
///      {"as_int": 0}, "requires_grad": true, …}}}}
final class Payloads {
    private static final int STRIDED = 7;

    private final Storages storages;

    Payloads(Storages storages) {
        this.storages = storages;
    }

    /// The fields of a tensor.
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

    Map<String, StoredTensor> read(GraphJson json) throws IOException {
        Map<String, StoredTensor> tensors = new LinkedHashMap<>();
        json.object(field -> {
            if (!field.equals("config")) json.skip();
            else json.object(name -> tensors.put(name, tensor(name, fields(json))));
        });
        return tensors;
    }

    private static Fields fields(GraphJson json) throws IOException {
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

    private static void readMeta(GraphJson json, Fields into) throws IOException {
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
    private static long integer(GraphJson json) throws IOException {
        long[] value = new long[1];
        json.union(kind -> {
            if (!kind.equals("as_int")) throw json.refused("must be an integer: the size of a stored tensor is fixed");
            value[0] = json.integer();
        });
        return value[0];
    }

    private StoredTensor tensor(String name, Fields fields) throws IOException {
        if (fields.isPickle)
            throw storages.refused(name, "is stored as a pickle, because it is an object or a subclass of Tensor");
        if (fields.path == null || fields.sizes == null || fields.strides == null || fields.type == 0)
            throw storages.refused(name, "lacks the path, type, sizes or strides");
        if (fields.layout != STRIDED) {
            throw storages.refused(
                    name, "is " + TensorTypes.layout(fields.layout) + "; only strided tensors are supported");
        }
        DType type = TensorTypes.stored(fields.type);
        if (type == null)
            throw storages.refused(name, "is " + TensorTypes.name(fields.type) + ", which is not supported");
        return storages.tensor(
                name,
                fields.path,
                type,
                fields.sizes,
                fields.strides,
                fields.offset,
                fields.isParameter,
                fields.requiresGradient);
    }
}
