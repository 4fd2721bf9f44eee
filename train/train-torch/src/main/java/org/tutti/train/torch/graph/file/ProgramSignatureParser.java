package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads the meaning of the graph's inputs and outputs.
final class ProgramSignatureParser {
    private final GraphJson json;
    private final String file;
    private final GraphParser values;

    ProgramSignatureParser(GraphJson json, String file) {
        this.json = json;
        this.file = file;
        values = new GraphParser(json, file);
    }

    /// The fields of an input or output.
    private static final class Fields {
        @Nullable
        Argument argument;

        @Nullable
        String name, target;
        boolean isPersistent = true;
    }

    ProgramSignature read() throws IOException {
        List<List<ProgramSignature.Input>> inputs = new ArrayList<>();
        List<List<ProgramSignature.Output>> outputs = new ArrayList<>();
        json.object(field -> {
            switch (field) {
                case "input_specs" -> inputs.add(json.list(this::input));
                case "output_specs" -> outputs.add(json.list(this::output));
                default -> json.skip();
            }
        });
        if (inputs.isEmpty() || outputs.isEmpty()) throw json.refused("lacks the inputs or outputs");
        return new ProgramSignature(inputs.getFirst(), outputs.getFirst());
    }

    private ProgramSignature.Input input() throws IOException {
        ProgramSignature.Input[] read = new ProgramSignature.Input[1];
        json.union(kind -> read[0] = input(kind));
        return read[0];
    }

    private ProgramSignature.Input input(String kind) throws IOException {
        return switch (kind) {
            case "user_input" -> new ProgramSignature.Input.User(user());
            case "parameter" -> {
                Fields f = fields("parameter_name");
                yield new ProgramSignature.Input.Parameter(name(f), target(f));
            }
            case "buffer" -> {
                Fields f = fields("buffer_name");
                yield new ProgramSignature.Input.Buffer(name(f), target(f), f.isPersistent);
            }
            case "tensor_constant" -> {
                Fields f = fields("tensor_constant_name");
                yield new ProgramSignature.Input.Constant(name(f), target(f));
            }
            case "constant_input" -> fixed();
            default -> throw unsupported("input", kind);
        };
    }

    private ProgramSignature.Output output() throws IOException {
        ProgramSignature.Output[] read = new ProgramSignature.Output[1];
        json.union(kind -> read[0] = output(kind));
        return read[0];
    }

    private ProgramSignature.Output output(String kind) throws IOException {
        return switch (kind) {
            case "user_output" -> new ProgramSignature.Output.User(user());
            case "loss_output" -> new ProgramSignature.Output.Loss(name(fields("")));
            case "buffer_mutation" -> {
                Fields f = fields("buffer_name");
                yield new ProgramSignature.Output.BufferMutation(name(f), target(f));
            }
            default -> throw unsupported("output", kind);
        };
    }

    private CheckpointException unsupported(String end, String kind) {
        String remedy = switch (kind) {
            case "user_input_mutation" -> ": the model writes to an input; let forward copy the input first";
            case "parameter_mutation" -> ": the model writes to a parameter in forward";
            case "gradient_to_parameter", "gradient_to_user_input" ->
                ": the file has the backward pass, too; export the forward pass with torch.export.export";
            default -> "";
        };
        return new CheckpointException(
                file + ": an " + end + " of kind " + GraphJson.shown(kind) + " is not supported" + remedy);
    }

    /// Reads a value that the caller passes or receives: the name of a tensor or number, or a constant.
    private Argument user() throws IOException {
        Argument[] read = new Argument[1];
        json.object(field -> {
            if (field.equals("arg")) read[0] = values.supported("an input or output of the model");
            else json.skip();
        });
        if (read[0] == null) throw json.refused("has no arg");
        return switch (read[0]) {
            case Argument.TensorValue t -> t;
            case Argument.NumberValue n -> n;
            case Argument.Int i -> i;
            case Argument.Real r -> r;
            case Argument.Bool b -> b;
            case Argument.Text t -> t;
            case Argument.None n -> n;
            default -> throw json.refused("must be a tensor, a number, a text or none");
        };
    }

    private Fields fields(String target) throws IOException {
        Fields read = new Fields();
        json.object(field -> {
            if (field.equals("arg")) read.name = values.namedValue();
            else if (field.equals("persistent")) read.isPersistent = json.bool();
            else if (field.equals(target)) read.target = json.name();
            else json.skip();
        });
        return read;
    }

    private ProgramSignature.Input fixed() throws IOException {
        Fields read = new Fields();
        json.object(field -> {
            switch (field) {
                case "name" -> read.name = json.name();
                case "value" -> read.argument = values.supported("a constant input of the model");
                default -> json.skip();
            }
        });
        if (read.argument == null) throw json.refused("has no value");
        return new ProgramSignature.Input.Fixed(name(read), read.argument);
    }

    private String name(Fields fields) throws CheckpointException {
        if (fields.name == null) throw json.refused("has no name");
        return fields.name;
    }

    private String target(Fields fields) throws CheckpointException {
        if (fields.target == null) throw json.refused("has no name in Python");
        return fields.target;
    }
}
