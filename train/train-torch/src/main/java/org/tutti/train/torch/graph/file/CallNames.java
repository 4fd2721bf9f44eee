package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// The names of a call's arguments or results, derived from the nested structures of Python: `x`, `pair.left`,
/// `options.mask.0`. If Python has no name for a value, the name is the position.
///
///     [1, {"type": "builtins.dict", "context": "[\"loss\", \"logits\"]", "children_spec": [
///         {"type": null, "context": null, "children_spec": []}, …]}]
final class CallNames {
    /// A structure, or a single value if the type is null.
    private record Spec(@Nullable String type, String context, List<Spec> children) {}

    /// Maximum length of all names together, in characters.
    private static final int LONGEST = 1 << 22;

    private final String where;
    private final Map<String, List<String>> tupleFields;
    private int length;

    CallNames(String where, Map<String, List<String>> tupleFields) {
        this.where = where;
        this.tupleFields = tupleFields;
    }

    /// Returns the names of the arguments.
    ///
    /// @param parameters the names of the parameters of Python's `forward`, as far as known
    List<String> arguments(String spec, List<String> parameters) throws IOException {
        Spec call = read(spec);
        List<String> names = new ArrayList<>();
        if (call.children.size() != 2 || call.children.get(1).type == null) {
            addLeaves(call, "", names);
            return names;
        }
        List<Spec> positional = call.children.get(0).children;
        for (int i = 0; i < positional.size(); i++) {
            addLeaves(positional.get(i), i < parameters.size() ? parameters.get(i) : String.valueOf(i), names);
        }
        addLeaves(call.children.get(1), "", names);
        return names;
    }

    /// Returns the names of the results. A single result is `0`.
    List<String> results(String spec) throws IOException {
        List<String> names = new ArrayList<>();
        Spec result = read(spec);
        addLeaves(result, result.type == null ? "0" : "", names);
        return names;
    }

    private void addLeaves(Spec spec, String name, List<String> into) throws IOException {
        if (spec.type == null) {
            length += name.length();
            if (length > LONGEST)
                throw new CheckpointException(where + " has names of more than " + LONGEST + " characters");
            into.add(name);
            return;
        }
        List<String> keys = keys(spec);
        for (int i = 0; i < spec.children.size(); i++) {
            String key = keys.size() == spec.children.size() ? keys.get(i) : String.valueOf(i);
            addLeaves(spec.children.get(i), name.isEmpty() ? key : name + "." + key, into);
        }
    }

    /// Returns the keys of a dictionary, a dataclass or a named tuple; empty for lists and tuples.
    private List<String> keys(Spec spec) throws IOException {
        List<String> fields = tupleFields.get(spec.context);
        if (fields != null) return fields;
        if (!spec.context.startsWith("[") && !spec.context.startsWith("{")) return List.of();
        return GraphJson.read(spec.context, where, this::keys);
    }

    private List<String> keys(GraphJson json) throws IOException {
        List<String> keys = new ArrayList<>();
        if (!json.isObject()) return json.list(json::key);
        json.object(field -> {
            // for a defaultdict, this field contains the list of keys
            if (field.equals("dict_context") && !json.isNull()) keys.addAll(json.list(json::key));
            else json.skip();
        });
        return keys;
    }

    private Spec read(String text) throws IOException {
        return GraphJson.read(text, where, json -> {
            List<Spec> specs = new ArrayList<>();
            json.list(() -> {
                if (json.isObject()) specs.add(spec(json));
                else if (json.integer() != 1) throw json.refused("has an unknown version of the structure");
                return 0;
            });
            if (specs.size() != 1) throw json.refused("must have one structure");
            return specs.getFirst();
        });
    }

    private static Spec spec(GraphJson json) throws IOException {
        @Nullable String[] texts = new @Nullable String[2];
        List<Spec> children = new ArrayList<>();
        json.object(field -> {
            switch (field) {
                case "type" -> texts[0] = json.isNull() ? null : json.text();
                case "context" -> texts[1] = json.isText() ? json.text() : null;
                case "children_spec" -> children.addAll(json.list(() -> spec(json)));
                default -> json.skip();
            }
        });
        return new Spec(texts[0], texts[1] == null ? "" : texts[1], children);
    }
}
