package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// Checks that the graph, the signature and the tensors of a program agree, and names the inputs and outputs.
final class ProgramChecks {
    private final String file;
    private final ProgramParser.Program program;
    private final Map<String, StoredTensor> weights, constants;

    ProgramChecks(
            String file,
            ProgramParser.Program program,
            Map<String, StoredTensor> weights,
            Map<String, StoredTensor> constants) {
        this.file = file;
        this.program = program;
        this.weights = weights;
        this.constants = constants;
    }

    ExportedProgram checked(String sha256) throws IOException {
        checkInputs();
        checkOutputs();
        CallNames names = new CallNames(file + ": the call of the model", program.tupleFields());
        List<ProgramSignature.Input> inputs =
                new ArrayList<>(program.signature().inputs());
        return new ExportedProgram(
                file,
                program.torchVersion(),
                program.isTraining(),
                sha256,
                program.graph(),
                new ProgramSignature(inputs, program.signature().outputs()),
                inputNames(names, inputs),
                outputNames(names),
                program.ranges(),
                weights,
                constants);
    }

    private void checkInputs() throws CheckpointException {
        List<Argument> values = program.graph().inputs();
        List<ProgramSignature.Input> inputs = program.signature().inputs();
        if (values.size() != inputs.size())
            throw refused("the graph has " + values.size() + " inputs, and the signature " + inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            switch (inputs.get(i)) {
                case ProgramSignature.Input.Parameter(String name, String parameter) -> {
                    requireSame(values.get(i), new Argument.TensorValue(name), "input " + i);
                    requireStored(weights, "parameter", parameter);
                }
                case ProgramSignature.Input.Buffer(String name, String buffer, boolean isPersistent) -> {
                    requireSame(values.get(i), new Argument.TensorValue(name), "input " + i);
                    requireStored(isPersistent ? weights : constants, "buffer", buffer);
                }
                case ProgramSignature.Input.Constant(String name, String constant) -> {
                    requireSame(values.get(i), new Argument.TensorValue(name), "input " + i);
                    requireStored(constants, "constant", constant);
                }
                case ProgramSignature.Input.User(Argument argument) ->
                    requireSame(values.get(i), argument, "input " + i);
                case ProgramSignature.Input.Fixed _ -> {}
            }
        }
    }

    /// Compares the names of two values. Two constants count as the same, because the graph may have no value
    /// for a constant.
    private void requireSame(Argument value, Argument inSignature, String end) throws CheckpointException {
        if (value.equals(inSignature) || name(value) == null && name(inSignature) == null) return;
        throw refused(end + " of the graph is " + shown(value) + ", and in the signature " + shown(inSignature));
    }

    private static @Nullable String name(Argument value) {
        return switch (value) {
            case Argument.TensorValue(String name) -> name;
            case Argument.NumberValue(String name) -> name;
            default -> null;
        };
    }

    private static String shown(Argument value) {
        String name = name(value);
        return name == null ? "a constant" : GraphJson.shown(name);
    }

    private void requireStored(Map<String, StoredTensor> tensors, String kind, String name) throws CheckpointException {
        if (!tensors.containsKey(name))
            throw refused("the " + kind + " " + GraphJson.shown(name) + " is not in the file");
    }

    private void checkOutputs() throws CheckpointException {
        List<Argument> values = program.graph().outputs();
        List<ProgramSignature.Output> outputs = program.signature().outputs();
        if (values.size() != outputs.size())
            throw refused("the graph has " + values.size() + " outputs, and the signature " + outputs.size());
        for (int i = 0; i < outputs.size(); i++) {
            Argument argument = switch (outputs.get(i)) {
                case ProgramSignature.Output.User(Argument value) -> value;
                case ProgramSignature.Output.Loss(String name) -> new Argument.TensorValue(name);
                case ProgramSignature.Output.BufferMutation(String name, String buffer) -> {
                    requireBuffer(buffer);
                    yield new Argument.TensorValue(name);
                }
            };
            requireSame(values.get(i), argument, "output " + i);
        }
    }

    private void requireBuffer(String buffer) throws CheckpointException {
        for (ProgramSignature.Input input : program.signature().inputs()) {
            if (input instanceof ProgramSignature.Input.Buffer(String _, String name, boolean _) && name.equals(buffer))
                return;
        }
        throw refused("an output is for the buffer " + GraphJson.shown(buffer) + ", which is not an input");
    }

    /// Returns the names by which a caller passes the user inputs. Also changes `inputs`: each fixed input gets
    /// the name that the caller uses for the input.
    private List<String> inputNames(CallNames names, List<ProgramSignature.Input> inputs) throws IOException {
        List<Integer> places = IntStream.range(0, inputs.size())
                .filter(i -> inputs.get(i) instanceof ProgramSignature.Input.User
                        || inputs.get(i) instanceof ProgramSignature.Input.Fixed)
                .boxed()
                .toList();
        List<String> all = numbers(places.size());
        if (program.arguments() != null) {
            all = names.arguments(program.arguments(), program.argumentNames());
            if (all.size() != places.size())
                throw refused(
                        "the model is called with " + all.size() + " values, and the signature has " + places.size());
        }
        List<String> users = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            int place = places.get(i);
            if (inputs.get(place) instanceof ProgramSignature.Input.Fixed(String _, Argument value))
                inputs.set(place, new ProgramSignature.Input.Fixed(all.get(i), value));
            else users.add(all.get(i));
        }
        return users;
    }

    private List<String> outputNames(CallNames names) throws IOException {
        long count = program.signature().outputs().stream()
                .filter(o -> !(o instanceof ProgramSignature.Output.BufferMutation))
                .count();
        if (program.results() == null) return numbers((int) count);
        List<String> all = names.results(program.results());
        if (all.size() != count)
            throw refused("the model returns " + all.size() + " values, and the signature has " + count);
        return all;
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    private CheckpointException refused(String problem) {
        return new CheckpointException(file + ": " + problem);
    }
}
