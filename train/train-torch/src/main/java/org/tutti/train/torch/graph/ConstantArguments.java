package org.tutti.train.torch.graph;

import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.DoubleComplex;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/// Compiles arguments that are the same in all runs.
final class ConstantArguments {
    private ConstantArguments() {}

    static CompiledArgument of(IValue value) {
        value.retainReference();
        return new CompiledArgument.Constant(value);
    }

    /// Returns the number as a tensor without dimensions, as [CompiledArgument#wrapped].
    static CompiledArgument wrapped(Object number) {
        try (Tensor tensor = CompiledArgument.wrapped(number)) {
            return of(new IValue(tensor));
        }
    }

    /// Returns the argument for a type, memory format or layout; null if the schema has a different type, or if
    /// `code` is null, which means that libtorch has no such value.
    static @Nullable CompiledArgument coded(SchemaType type, String element, @Nullable Integer code) {
        if (code == null || type.isList()) return null;
        return type.element().equals(element) || type.isInteger() ? of(new IValue((long) code)) : null;
    }

    /// Returns null if the schema has a different type.
    static @Nullable CompiledArgument integer(Operators.Parameter parameter, long value) {
        SchemaType type = parameter.type();
        if (type.isList()) {
            if (type.isReal()) {
                double[] all = new double[parameter.count()];
                Arrays.fill(all, value);
                return of(CompiledArgument.reals(all));
            }
            if (!type.isInteger()) return null;
            long[] all = new long[parameter.count()];
            Arrays.fill(all, value);
            return of(CompiledArgument.integers(all));
        }
        if (type.isTensor()) return wrapped(value);
        if (type.isReal()) return of(new IValue((double) value));
        return type.isInteger() || type.isScalar() ? of(new IValue(value)) : null;
    }

    static CompiledArgument bools(Operators.Parameter parameter, List<Boolean> values) {
        try (GenericList list = new GenericList(parameter.elementType())) {
            for (boolean value : values) {
                try (IValue element = new IValue(value)) {
                    list.push_back(element);
                }
            }
            return of(new IValue(list));
        }
    }

    /// Returns null if the schema has a different type.
    static @Nullable CompiledArgument complex(SchemaType type, double real, double imaginary) {
        try (DoubleComplex number = new DoubleComplex(real, imaginary);
                Scalar scalar = new Scalar(number)) {
            if (type.isScalar()) return of(new IValue(scalar));
            if (!type.isTensor()) return null;
            try (Tensor tensor = torch.wrapped_scalar_tensor(scalar)) {
                return of(new IValue(tensor));
            }
        }
    }
}
