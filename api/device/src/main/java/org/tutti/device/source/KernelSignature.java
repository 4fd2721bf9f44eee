package org.tutti.device.source;

import java.util.List;
import java.util.stream.Collectors;

/// The name and parameters of a kernel.
///
/// @param line the line of the declaration in the source, starting at 1
public record KernelSignature(String name, List<Parameter> parameters, int line) {
    public KernelSignature {
        parameters = List.copyOf(parameters);
    }

    /// @param type the type of the parameter, or the target type of a pointer
    /// @param pointer whether the parameter is a pointer to device memory
    /// @param constant whether the kernel only reads the memory to which the pointer refers
    public record Parameter(String name, ParameterType type, boolean pointer, boolean constant) {
        /// Returns the size of the value in bytes.
        public int bytes() {
            return pointer ? Long.BYTES : type.bytes();
        }

        @Override
        public String toString() {
            return (constant ? "const " : "") + type + (pointer ? "* " : " ") + name;
        }
    }

    @Override
    public String toString() {
        return parameters.stream().map(Parameter::toString).collect(Collectors.joining(", ", name + "(", ")"));
    }
}
