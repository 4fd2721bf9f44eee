package org.tutti.device.source;

import java.util.List;
import java.util.stream.Collectors;

/// Name and parameters of a kernel.
///
/// @param line where it begins in the source, from 1 on
public record KernelSignature(String name, List<Parameter> parameters, int line) {
    public KernelSignature {
        parameters = List.copyOf(parameters);
    }

    /// @param type its own, or that of what it points to
    /// @param pointer whether it is a pointer to memory of the device
    /// @param constant whether the kernel only reads what it points to
    public record Parameter(String name, ParameterType type, boolean pointer, boolean constant) {
        /// How many bytes the value has.
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
