package org.tutti.train.torch.graph;

import java.util.Arrays;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;

/// The values of a run of a graph. An object is used by a single thread at a time, and is reused by later runs.
///
/// Values are stored in a vector of libtorch. An element of the vector is a view that needs no deallocator:
/// setting the element costs 15 ns, while creating a Java object for a result costs 1,500 ns.
final class GraphRun {
    final IValue[] slots;
    final IValueVector stack;

    /// Views of the stack's elements. The stack's capacity never grows.
    final IValue[] top;

    RunConditions conditions;

    private final CompiledGraph graph;
    private final IValueVector values;
    private final @Nullable Object[] numbers;
    private final long[][] listValues;
    private final @Nullable IValue[] lists;
    private final IValue none = none();

    GraphRun(CompiledGraph graph, RunConditions conditions) {
        this.graph = graph;
        this.conditions = conditions;
        values = vector(graph.slots());
        slots = views(values, graph.slots());
        stack = vector(graph.stackSize());
        top = views(stack, graph.stackSize());
        stack.resize(0);
        numbers = new @Nullable Object[graph.slots()];
        listValues = new long[graph.lists()][];
        lists = new @Nullable IValue[graph.lists()];
    }

    private static IValueVector vector(int size) {
        IValueVector made = new IValueVector();
        made.retainReference(); // stays alive when the caller's PointerScope ends
        made.resize(size);
        return made;
    }

    private static IValue[] views(IValueVector of, int count) {
        IValue[] views = new IValue[count];
        for (int i = 0; i < count; i++) views[i] = of.get(i);
        return views;
    }

    static IValue none() {
        IValue none = new IValue();
        none.retainReference();
        return none;
    }

    Object number(int slot) {
        Object number = numbers[slot];
        if (number == null) throw new IllegalStateException("a number is used before it is computed");
        return number;
    }

    void setNumber(int slot, IValue value) {
        Object number;
        if (value.isBool()) number = value.toBool();
        else if (value.isDouble()) number = value.toDouble();
        else number = value.toInt();
        if (number.equals(numbers[slot])) return;
        numbers[slot] = number;
        copy(value, slot);
    }

    void setNumber(int slot, Object number) {
        if (number.equals(numbers[slot])) return;
        numbers[slot] = number;
        try (IValue value = value(number)) {
            copy(value, slot);
        }
    }

    /// Copies a value into a slot. In contrast, `slots[slot].put(value)` moves the value.
    void copy(IValue value, int slot) {
        values.put(slot, value);
    }

    private static IValue value(Object number) {
        return switch (number) {
            case Long l -> new IValue(l.longValue());
            case Double d -> new IValue(d.doubleValue());
            case Boolean b -> new IValue(b.booleanValue());
            default -> throw new IllegalArgumentException("a number of " + number.getClass());
        };
    }

    /// Returns a list of integers. If the values have not changed since the previous call, returns the same
    /// list.
    IValue list(int index, long[] listed) {
        IValue before = lists[index];
        if (before != null) {
            if (Arrays.equals(listed, listValues[index])) return before;
            before.releaseReference();
        }
        IValue list = CompiledArgument.integers(listed);
        list.retainReference();
        lists[index] = list;
        listValues[index] = listed;
        return list;
    }

    void execute() {
        for (GraphStep step : graph.steps()) {
            try {
                step.run(this);
            } catch (TrainingException e) {
                throw e; // from a nested graph; already names the node
            } catch (RuntimeException e) {
                throw new TrainingException(graph.where(step.node()) + ": " + firstLine(e), e);
            }
            for (int slot : step.released()) slots[slot].put(none);
        }
    }

    /// Returns the first line of the message; libtorch's C++ frames follow in later lines.
    private static String firstLine(RuntimeException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message.lines().findFirst().orElse("");
    }

    /// Frees the values that remain after a run: outputs, and inputs that no node uses.
    void clear() {
        for (int slot : graph.kept()) slots[slot].put(none);
    }

    /// Frees all memory, after an exception.
    void discard() {
        try (PointerScope scope = new PointerScope()) {
            values.clear();
            stack.clear();
        }
    }
}
