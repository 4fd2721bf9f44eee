package org.tutti.train.torch.graph.file;

import java.util.List;

/// The meaning of the graph's inputs and outputs, in the graph's order.
public record ProgramSignature(List<Input> inputs, List<Output> outputs) {
    /// The object to which an input of the graph is bound.
    public sealed interface Input {
        /// @param name the value in the graph
        /// @param parameter Python's name
        record Parameter(String name, String parameter) implements Input {}

        record Buffer(String name, String buffer, boolean isPersistent) implements Input {}

        record Constant(String name, String constant) implements Input {}

        /// @param argument [Argument.TensorValue], [Argument.NumberValue], or a constant that was passed at
        ///     export
        record User(Argument argument) implements Input {}

        /// @param name the name that the caller uses for the input
        record Fixed(String name, Argument value) implements Input {}
    }

    /// The meaning of an output of the graph.
    public sealed interface Output {
        record User(Argument argument) implements Output {}

        record Loss(String name) implements Output {}

        /// The value is copied into the buffer after the run.
        record BufferMutation(String name, String buffer) implements Output {}
    }
}
