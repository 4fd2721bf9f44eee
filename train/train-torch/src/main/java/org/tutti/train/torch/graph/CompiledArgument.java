package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.DoubleList;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.LongList;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.Type;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;

/// An argument of an operator, converted to the type that the operator's schema requires.
sealed interface CompiledArgument {
    /// Sets an element of the stack. Before the call, the element is `None`.
    void place(GraphRun run, int index);

    /// A constant argument, the same in all runs.
    record Constant(IValue value) implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            run.stack.put(index, value);
        }
    }

    /// @param isLast whether no later node uses the value; it is then moved to the stack, so that the memory
    ///     can be freed as early as in Python
    record Value(int slot, boolean isLast) implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            if (isLast) run.top[index].swap(run.slots[slot]);
            else run.stack.put(index, run.slots[slot]);
        }
    }

    /// A flag such as dropout's `train`.
    record ModeFlag(IValue training, IValue evaluation) implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            run.stack.put(index, run.conditions.isTraining() ? training : evaluation);
        }
    }

    /// The device of the model, which may differ from the device that the file states.
    record ModelDevice() implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            run.stack.put(index, run.conditions.device().value());
        }
    }

    /// A number that the graph computes, passed to an operator's parameter of type `Tensor`.
    record NumberAsTensor(int slot) implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            try (Tensor number = wrapped(run.number(slot));
                    IValue value = new IValue(number)) {
                run.stack.put(index, value);
            }
        }
    }

    /// A number that the graph computes, passed to an operator's parameter of type `float`.
    record NumberAsReal(int slot) implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            try (IValue value = new IValue(NumberFunctions.real(run.number(slot)))) {
                run.stack.put(index, value);
            }
        }
    }

    /// @param elementType `Tensor` or `Tensor?`
    /// @param elements null for an absent optional tensor
    record TensorsOf(Type.TypePtr elementType, @Nullable ValueRef[] elements) implements CompiledArgument {
        private static final IValue NONE = GraphRun.none();

        @Override
        public void place(GraphRun run, int index) {
            try (GenericList list = new GenericList(elementType)) {
                for (ValueRef element : elements) list.push_back(element == null ? NONE : element.in(run));
                try (IValue value = new IValue(list)) {
                    run.stack.put(index, value);
                }
            }
        }
    }

    /// A list of integers, some of which the graph computes. The list of the last run is reused if the values
    /// are equal, because most batches have equal sizes.
    ///
    /// @param list the index of this list in the graph's lists
    /// @param slots the slot of each number, or -1 for a constant
    record IntegersOf(int list, int[] slots, long[] constants) implements CompiledArgument {
        @Override
        public void place(GraphRun run, int index) {
            long[] values = constants.clone();
            for (int i = 0; i < slots.length; i++) {
                if (slots[i] >= 0) values[i] = NumberFunctions.integer(run.number(slots[i]));
            }
            run.stack.put(index, run.list(list, values));
        }
    }

    /// Returns a tensor that type promotion treats like a number of Python.
    static Tensor wrapped(Object number) {
        try (Scalar scalar = scalar(number)) {
            Tensor tensor = torch.wrapped_scalar_tensor(scalar);
            if (!(number instanceof Boolean)) return tensor;
            Tensor truth = tensor.to(ScalarType.Bool);
            truth.unsafeGetTensorImpl().set_wrapped_number(true);
            return truth;
        }
    }

    private static Scalar scalar(Object number) {
        return switch (number) {
            case Long l -> new Scalar(l.longValue());
            case Double d -> new Scalar(d.doubleValue());
            case Boolean b -> new Scalar(b ? 1L : 0L);
            default -> throw new IllegalArgumentException("a number of " + number.getClass());
        };
    }

    static IValue integers(long... values) {
        // converted to GenericList, because libtorch would get any other list as an opaque pointer, not as a
        // list
        try (LongList list = new LongList(values)) {
            return new IValue(new GenericList((Pointer) list));
        }
    }

    static IValue reals(double... values) {
        try (DoubleList list = new DoubleList()) {
            for (double v : values) list.push_back(v);
            return new IValue(new GenericList((Pointer) list));
        }
    }
}
