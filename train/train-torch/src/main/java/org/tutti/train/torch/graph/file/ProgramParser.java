package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads the document that describes a program. The order of fields is free, and unknown fields are skipped,
/// because newer minor versions of the format add fields.
final class ProgramParser {
    private static final int VERSION = 8;

    /// The contents of the document.
    ///
    /// @param arguments the structure of the arguments, or null if not stored
    /// @param results the structure of the results, or null if not stored
    /// @param argumentNames the names of the parameters of Python's `forward`
    /// @param tupleFields the fields of named tuples, by type
    record Program(
            int minor,
            String torchVersion,
            boolean isTraining,
            ProgramGraph graph,
            ProgramSignature signature,
            Map<String, ExportedProgram.Range> ranges,
            @Nullable String arguments,
            @Nullable String results,
            List<String> argumentNames,
            Map<String, List<String>> tupleFields) {}

    private final GraphJson json;
    private final String file;
    private int major = -1, minor = -1;
    private String torchVersion = "";
    private boolean isTraining;
    private @Nullable ProgramGraph graph;
    private @Nullable ProgramSignature signature;
    private Map<String, ExportedProgram.Range> ranges = Map.of();
    private @Nullable String arguments, results;
    private List<String> argumentNames = List.of();
    private Map<String, List<String>> tupleFields = new HashMap<>();

    ProgramParser(GraphJson json, String file) {
        this.json = json;
        this.file = file;
    }

    Program read() throws IOException {
        json.object(field -> {
            switch (field) {
                case "schema_version" -> readVersion();
                case "torch_version" -> torchVersion = GraphJson.shown(json.text());
                case "verifiers" -> isTraining = json.list(json::text).contains("TRAINING");
                case "range_constraints" -> ranges = json.map(this::range);
                case "graph_module" -> readModule();
                default -> json.skip();
            }
        });
        requireVersion();
        if (graph == null) throw new CheckpointException(file + " has no graph");
        if (signature == null) throw new CheckpointException(file + " has a graph without a signature");
        return new Program(
                minor,
                torchVersion,
                isTraining,
                graph,
                signature,
                ranges,
                arguments,
                results,
                argumentNames,
                tupleFields);
    }

    private void readVersion() throws IOException {
        json.object(field -> {
            switch (field) {
                case "major" -> major = json.code();
                case "minor" -> minor = json.code();
                default -> json.skip();
            }
        });
        requireVersion();
    }

    private void requireVersion() throws CheckpointException {
        if (major == VERSION && minor >= 0) return;
        String found = major < 0
                ? "no version of the format"
                : "version " + major + (minor < 0 ? "" : "." + minor) + " of the format";
        throw new CheckpointException(file + " has " + found + "; only version " + VERSION
                + " is supported: export the model again with PyTorch 2.6 or newer");
    }

    private ExportedProgram.Range range() throws IOException {
        long[] range = {Long.MIN_VALUE, Long.MAX_VALUE};
        json.object(field -> {
            switch (field) {
                case "min_val" -> range[0] = json.isNull() ? Long.MIN_VALUE : json.integer();
                case "max_val" -> range[1] = json.isNull() ? Long.MAX_VALUE : json.integer();
                default -> json.skip();
            }
        });
        return new ExportedProgram.Range(range[0], range[1]);
    }

    private void readModule() throws IOException {
        json.object(field -> {
            switch (field) {
                case "graph" -> graph = new GraphParser(json, file).graph();
                case "signature" -> signature = new ProgramSignatureParser(json, file).read();
                case "module_call_graph" -> json.list(this::readCall);
                case "treespec_namedtuple_fields" -> tupleFields = json.map(this::fieldNames);
                default -> json.skip();
            }
        });
    }

    private List<String> fieldNames() throws IOException {
        List<List<String>> names = new ArrayList<>();
        json.object(field -> {
            if (field.equals("field_names")) names.add(json.list(json::name));
            else json.skip();
        });
        return names.isEmpty() ? List.of() : names.getFirst();
    }

    /// Reads the call of a module. The call of the whole model has an empty name. Returns whether this is the
    /// call of the whole model.
    private boolean readCall() throws IOException {
        String[] specs = new String[3];
        List<List<String>> names = new ArrayList<>();
        json.object(field -> {
            switch (field) {
                case "fqn" -> specs[0] = json.text();
                case "signature" -> {
                    if (json.isNull()) return;
                    json.object(part -> {
                        switch (part) {
                            case "in_spec" -> specs[1] = json.text();
                            case "out_spec" -> specs[2] = json.text();
                            case "forward_arg_names" -> {
                                if (!json.isNull()) names.add(json.list(json::name));
                            }
                            default -> json.skip();
                        }
                    });
                }
                default -> json.skip();
            }
        });
        boolean isModel = "".equals(specs[0]);
        if (isModel) {
            arguments = specs[1];
            results = specs[2];
            if (!names.isEmpty()) argumentNames = names.getFirst();
        }
        return isModel;
    }
}
