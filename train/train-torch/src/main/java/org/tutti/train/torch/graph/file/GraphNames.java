package org.tutti.train.torch.graph.file;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// Checks that each value of a graph is assigned once, before the first use.
final class GraphNames {
    private final String file;
    private final Set<String> assigned = new HashSet<>();

    GraphNames(String file) {
        this.file = file;
    }

    void check(ProgramGraph graph) throws CheckpointException {
        for (Argument input : graph.inputs()) assign(input, null);
        for (Node node : graph.nodes()) {
            for (Node.Input input : node.inputs()) use(input.value(), node);
            for (Argument output : node.outputs()) assign(output, node);
        }
        for (Argument output : graph.outputs()) use(output, null);
    }

    private void assign(Argument value, @Nullable Node by) throws CheckpointException {
        switch (value) {
            case Argument.TensorValue(String name) -> assign(name, by);
            case Argument.NumberValue(String name) -> assign(name, by);
            case Argument.TensorValues(List<@Nullable String> names) -> {
                for (String name : names) if (name != null) assign(name, by);
            }
            default -> {
                if (by != null && !(value instanceof Argument.None))
                    throw new CheckpointException(file + ", " + node(by) + ": a result is a constant");
            }
        }
    }

    private void assign(String name, @Nullable Node by) throws CheckpointException {
        if (assigned.add(name)) return;
        throw new CheckpointException(
                file + ", " + node(by) + ": the value " + GraphJson.shown(name) + " is assigned twice");
    }

    private void use(Argument value, @Nullable Node by) throws CheckpointException {
        switch (value) {
            case Argument.TensorValue(String name) -> use(name, by);
            case Argument.NumberValue(String name) -> use(name, by);
            case Argument.TensorValues(List<@Nullable String> names) -> {
                for (String name : names) if (name != null) use(name, by);
            }
            case Argument.Ints(List<Argument> values) -> {
                for (Argument part : values) use(part, by);
            }
            default -> {}
        }
    }

    private void use(String name, @Nullable Node by) throws CheckpointException {
        if (assigned.contains(name)) return;
        throw new CheckpointException(
                file + ", " + node(by) + ": the value " + GraphJson.shown(name) + " is used before it is assigned");
    }

    private static String node(@Nullable Node node) {
        if (node == null) return "inputs and outputs of the graph";
        String line = node.source().isEmpty() ? "" : " (" + node.source() + ")";
        return "node " + GraphJson.shown(node.name()) + line;
    }
}
