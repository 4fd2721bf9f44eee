package org.tutti.train.torch.graph.file;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An argument or result of a node.
public sealed interface Argument {
    /// A tensor of the graph.
    record TensorValue(String name) implements Argument {}

    /// Tensors; null for an absent optional tensor.
    record TensorValues(List<@Nullable String> names) implements Argument {}

    /// A number that the graph computes: an integer, real number or truth value.
    record NumberValue(String name) implements Argument {}

    /// @param values elements of type [Int] or [NumberValue]
    record Ints(List<Argument> values) implements Argument {}

    record Int(long value) implements Argument {}

    record Real(double value) implements Argument {}

    record Reals(List<Double> values) implements Argument {}

    record Bool(boolean value) implements Argument {}

    record Bools(List<Boolean> values) implements Argument {}

    record Complex(double real, double imaginary) implements Argument {}

    record Text(String value) implements Argument {}

    record None() implements Argument {}

    /// @param code in the file's numbering
    record ScalarType(int code) implements Argument {}

    /// @param code in the file's numbering
    record MemoryFormat(int code) implements Argument {}

    /// @param code in the file's numbering
    record Layout(int code) implements Argument {}

    /// @param type such as `cpu`
    record Device(String type) implements Argument {}

    /// A graph that a higher-order operator runs.
    record SubGraph(String name, ProgramGraph graph) implements Argument {}
}
