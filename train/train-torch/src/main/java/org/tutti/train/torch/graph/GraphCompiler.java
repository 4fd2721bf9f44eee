package org.tutti.train.torch.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.CompiledGraph.Operand;
import org.tutti.train.torch.graph.file.Argument;
import org.tutti.train.torch.graph.file.Node;
import org.tutti.train.torch.graph.file.ProgramGraph;

/// Compiles a graph, and the graphs within it. The file is not trusted: each name must be defined before it is used,
/// and each argument must fit the operator's schema.
final class GraphCompiler {
    private static final String GRAD_MODE = "torch.ops.higher_order.wrap_with_set_grad_enabled";
    private static final String AUTOCAST = "torch.ops.higher_order.wrap_with_autocast";
    private static final String COND = "torch.ops.higher_order.cond";

    /// An operator that checks that types are the same as at export. It is skipped, because types differ after
    /// a conversion of the model and under autocast.
    private static final String TYPE_CHECK = "torch.ops.aten._assert_tensor_metadata.default";

    private static final int MAX_NESTED = 32;

    private final String file;
    private final Operators operators;
    private final ModeFlags flags;
    private final Map<String, String> buffers;
    private final int depth;

    private final Map<String, IValue> bound;
    private final Map<String, Integer> slots = new HashMap<>();
    private final Set<String> numbers = new HashSet<>();
    private final Map<String, Integer> lastUses = new HashMap<>();
    private final List<GraphStep> steps = new ArrayList<>();
    private int stackSize = 1;
    private int lists;

    /// @param bound the tensors of the model, by the names in the graph
    /// @param buffers Python's names of the buffers, by the names in the graph
    GraphCompiler(
            String file, Operators operators, ModeFlags flags, Map<String, IValue> bound, Map<String, String> buffers) {
        this(file, operators, flags, bound, buffers, 0);
    }

    private GraphCompiler(
            String file,
            Operators operators,
            ModeFlags flags,
            Map<String, IValue> bound,
            Map<String, String> buffers,
            int depth) {
        this.file = file;
        this.operators = operators;
        this.flags = flags;
        this.bound = bound;
        this.buffers = buffers;
        this.depth = depth;
    }

    /// @throws CheckpointException if the graph cannot be run; unknown operators are reported by [Operators#check]
    CompiledGraph compile(ProgramGraph graph) throws CheckpointException {
        List<CompiledGraph.Input> inputs = new ArrayList<>();
        List<String> tensors = new ArrayList<>();
        for (Argument input : graph.inputs()) {
            switch (input) {
                case Argument.TensorValue(String name) -> {
                    if (bound.containsKey(name)) continue;
                    inputs.add(new CompiledGraph.Input(define(name, false), false));
                    tensors.add(name);
                }
                case Argument.NumberValue(String name) -> inputs.add(new CompiledGraph.Input(define(name, true), true));
                default -> inputs.add(new CompiledGraph.Input(-1, false));
            }
        }
        List<Node> nodes = graph.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            for (Node.Input input : nodes.get(i).inputs()) markUses(input.value(), i);
        }
        for (Argument output : graph.outputs()) markUses(output, nodes.size());
        for (int i = 0; i < nodes.size(); i++) compile(nodes.get(i), i);
        List<Operand> outputs = new ArrayList<>();
        Set<Integer> kept = new HashSet<>();
        for (Argument output : graph.outputs()) outputs.add(output(output, kept));
        for (String name : tensors) if (!lastUses.containsKey(name)) kept.add(slots.get(name));
        return new CompiledGraph(
                file,
                slots.size(),
                stackSize,
                lists,
                steps.toArray(GraphStep[]::new),
                inputs.toArray(CompiledGraph.Input[]::new),
                outputs.toArray(Operand[]::new),
                kept.stream().mapToInt(s -> s).toArray());
    }

    private Operand output(Argument output, Set<Integer> kept) throws CheckpointException {
        if (output instanceof Argument.TensorValue(String name)) {
            if (bound.containsKey(name)) return new Operand.OfTensor(new ValueRef(-1, bound.get(name)));
            int slot = tensor(name, "an output");
            kept.add(slot);
            return new Operand.OfTensor(new ValueRef(slot, null));
        }
        return scalar(output, "an output");
    }

    /// A number or a constant.
    private Operand scalar(Argument argument, String where) throws CheckpointException {
        return switch (argument) {
            case Argument.NumberValue(String name) -> new Operand.OfNumber(number(name, where));
            case Argument.Int(long value) -> new Operand.OfConstant(value);
            case Argument.Real(double value) -> new Operand.OfConstant(value);
            case Argument.Bool(boolean value) -> new Operand.OfConstant(value);
            case Argument.Text(String value) -> new Operand.OfConstant(value);
            case Argument.None _ -> new Operand.OfConstant(null);
            default -> throw new CheckpointException(file + ": " + where + " is " + kind(argument));
        };
    }

    private int define(String name, boolean isNumber) throws CheckpointException {
        if (bound.containsKey(name) || slots.putIfAbsent(name, slots.size()) != null) {
            throw new CheckpointException(file + ": the graph defines " + name + " twice");
        }
        if (isNumber) numbers.add(name);
        return slots.size() - 1;
    }

    private int tensor(String name, String where) throws CheckpointException {
        return defined(name, where, false);
    }

    private int number(String name, String where) throws CheckpointException {
        return defined(name, where, true);
    }

    private int defined(String name, String where, boolean isNumber) throws CheckpointException {
        Integer slot = slots.get(name);
        if (slot == null)
            throw new CheckpointException(file + ": " + where + " uses " + name + ", which is not defined");
        if (numbers.contains(name) != isNumber) {
            throw new CheckpointException(file + ": " + where + " uses " + name + " as a "
                    + (isNumber ? "number; it is a tensor" : "tensor; it is a number"));
        }
        return slot;
    }

    private void markUses(Argument argument, int at) {
        switch (argument) {
            case Argument.TensorValue(String name) -> lastUses.put(name, at);
            case Argument.TensorValues(List<@Nullable String> names) -> {
                for (String name : names) if (name != null) lastUses.put(name, at);
            }
            default -> {}
        }
    }

    private String where(Node node) {
        return "node " + node.name() + (node.source().isEmpty() ? "" : " (" + node.source() + ")");
    }

    private void compile(Node node, int at) throws CheckpointException {
        switch (node.target()) {
            case TYPE_CHECK -> {}
            case GRAD_MODE, AUTOCAST, COND -> higherOrder(node, at);
            case String target when NumberFunctions.has(target) -> steps.add(onNumbers(node));
            default -> {
                Operators.Operator operator = operators.find(node);
                if (operator == null) defineResults(node);
                else steps.add(operator(node, operator, at));
            }
        }
    }

    /// Defines the results of a node that cannot be compiled, so that further unknown operators are found.
    private void defineResults(Node node) throws CheckpointException {
        results(node, flat(node.outputs()));
    }

    private static List<Argument> flat(List<Argument> outputs) {
        List<Argument> flat = new ArrayList<>();
        for (Argument output : outputs) {
            if (output instanceof Argument.TensorValues(List<@Nullable String> names)) {
                for (String name : names) flat.add(name == null ? new Argument.None() : new Argument.TensorValue(name));
            } else {
                flat.add(output);
            }
        }
        return flat;
    }

    /// @param slots -1 for an unused result
    private record Results(int[] slots, boolean[] isNumber) {}

    private Results results(Node node, List<Argument> outputs) throws CheckpointException {
        int[] of = new int[outputs.size()];
        boolean[] isNumber = new boolean[of.length];
        for (int i = 0; i < of.length; i++) {
            switch (outputs.get(i)) {
                case Argument.TensorValue(String name) -> of[i] = define(name, false);
                case Argument.NumberValue(String name) -> {
                    of[i] = define(name, true);
                    isNumber[i] = true;
                }
                case Argument.None _ -> of[i] = -1;
                default ->
                    throw new CheckpointException(file + ": " + where(node) + " returns " + kind(outputs.get(i)));
            }
        }
        return new Results(of, isNumber);
    }

    private GraphStep onNumbers(Node node) throws CheckpointException {
        NumberFunctions operator = NumberFunctions.of(node.target());
        int count = node.inputs().size();
        if (count != operator.operands() || node.outputs().size() != 1) {
            throw new CheckpointException(file + ": " + where(node) + " has " + count + " operands; " + node.target()
                    + " takes " + operator.operands());
        }
        int[] of = new int[count];
        @Nullable Object[] constants = new @Nullable Object[count];
        for (int i = 0; i < count; i++) {
            switch (scalar(node.inputs().get(i).value(), where(node))) {
                case Operand.OfNumber(int slot) -> of[i] = slot;
                case Operand.OfConstant(Object value)
                when value != null && !(value instanceof String) -> constants[i] = value;
                default ->
                    throw new CheckpointException(file + ": " + where(node) + " computes with "
                            + kind(node.inputs().get(i).value()));
            }
        }
        Results results = results(node, node.outputs());
        if (!results.isNumber[0]) {
            throw new CheckpointException(file + ": " + where(node) + " returns no number");
        }
        return new GraphStep.OnNumbers(node, operator, of, constants, results.slots[0]);
    }

    private GraphStep operator(Node node, Operators.Operator operator, int at) throws CheckpointException {
        Map<String, Node.Input> given = new LinkedHashMap<>();
        for (Node.Input input : node.inputs()) {
            if (given.put(input.name(), input) != null) {
                throw new CheckpointException(file + ": " + where(node) + " passes " + input.name() + " twice");
            }
        }
        CompiledArgument[] arguments =
                new CompiledArgument[operator.parameters().size()];
        @Nullable String[] names = new @Nullable String[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            Operators.Parameter parameter = operator.parameters().get(i);
            Node.Input input = given.remove(parameter.name());
            if (input == null) {
                IValue value = parameter.defaultValue();
                if (value == null) {
                    throw new CheckpointException(
                            file + ": " + where(node) + " lacks " + parameter.name() + " of " + operator.name());
                }
                arguments[i] = new CompiledArgument.Constant(value);
                continue;
            }
            if (input.value() instanceof Argument.TensorValue(String name)) names[i] = name;
            arguments[i] = argument(node, operator, parameter, input);
        }
        if (!given.isEmpty()) {
            throw new CheckpointException(file + ": " + where(node) + " passes " + given.keySet() + ", which "
                    + operator.name() + " does not have");
        }
        Set<String> moved = new HashSet<>();
        for (int i = arguments.length - 1; i >= 0; i--) {
            String name = names[i];
            if (name == null || bound.containsKey(name) || lastUses.getOrDefault(name, -1) != at) continue;
            if (isInList(node, name) || !moved.add(name)) continue;
            if (arguments[i] instanceof CompiledArgument.Value(int slot, boolean _)) {
                arguments[i] = new CompiledArgument.Value(slot, true);
            }
        }
        return resulting(node, operator, arguments, at, moved);
    }

    private GraphStep resulting(
            Node node, Operators.Operator operator, CompiledArgument[] arguments, int at, Set<String> moved)
            throws CheckpointException {
        int returned = operator.results().size();
        boolean isList = returned == 1
                && operator.results().getFirst().isList()
                && node.outputs().size() == 1
                && node.outputs().getFirst() instanceof Argument.TensorValues;
        List<Argument> outputs = isList ? flat(node.outputs()) : node.outputs();
        if (!isList && outputs.size() > returned) {
            throw new CheckpointException(file + ": " + where(node) + " has " + outputs.size() + " results; "
                    + operator.name() + " returns " + returned);
        }
        Results results = results(node, outputs);
        for (int i = 0; !isList && i < results.slots.length; i++) {
            SchemaType type = operator.results().get(i);
            if (results.slots[i] < 0 || !type.isList() && type.isTensor() != results.isNumber[i]) continue;
            throw new CheckpointException(file + ": " + where(node) + " has " + kind(outputs.get(i))
                    + " as a result, but " + operator.name() + " returns " + type);
        }
        stackSize = Math.max(stackSize, Math.max(arguments.length, Math.max(1, returned)));
        GraphStep.Operator step = new GraphStep.Operator(
                node, operator, arguments, results.slots, results.isNumber, isList, released(node, at, outputs, moved));
        if (ModeFlags.isBatchNorm(operator.name(), node) && results.slots.length == 1 && results.slots[0] >= 0) {
            return new GraphStep.BatchNorm(step);
        }
        if (!operator.name().equals("aten::add_")
                || !(node.inputs().getFirst().value() instanceof Argument.TensorValue(String name))) return step;
        String buffer = buffers.get(name);
        IValue tensor = bound.get(name);
        if (buffer == null || tensor == null || !ModeFlags.isCounter(operator.name(), buffer)) return step;
        return new GraphStep.Alias(step, new ValueRef(-1, tensor), results.slots.length == 0 ? -1 : results.slots[0]);
    }

    private static boolean isInList(Node node, String name) {
        return node.inputs().stream()
                .anyMatch(i -> i.value() instanceof Argument.TensorValues(List<@Nullable String> names)
                        && names.contains(name));
    }

    /// Returns the slots to free after the node: of operands that no later node uses and that were not moved to
    /// the stack, and of unused results.
    private int[] released(Node node, int at, List<Argument> outputs, Set<String> moved) {
        Set<Integer> free = new HashSet<>();
        for (Node.Input input : node.inputs()) {
            List<@Nullable String> names = switch (input.value()) {
                case Argument.TensorValue(String name) -> List.of(name);
                case Argument.TensorValues(List<@Nullable String> all) -> all;
                default -> List.of();
            };
            for (String name : names) {
                Integer slot = name == null ? null : slots.get(name);
                if (slot != null && !moved.contains(name) && lastUses.getOrDefault(name, -1) == at) free.add(slot);
            }
        }
        for (Argument output : outputs) {
            if (output instanceof Argument.TensorValue(String name) && !lastUses.containsKey(name)) {
                free.add(slots.getOrDefault(name, -1));
            }
        }
        return free.stream().mapToInt(s -> s).toArray();
    }

    private void higherOrder(Node node, int at) throws CheckpointException {
        if (depth == MAX_NESTED) {
            throw new CheckpointException(file + ": graphs are nested more than " + MAX_NESTED + " deep");
        }
        List<Argument> inputs = node.inputs().stream().map(Node.Input::value).toList();
        List<Argument> outputs = flat(node.outputs());
        switch (node.target()) {
            case GRAD_MODE -> {
                boolean isEnabled = bool(node, inputs, 0);
                CompiledGraph graph = nested(node, inputs, 1);
                HigherOrderStep.Call call = call(node, inputs, 2, outputs, graph);
                steps.add(new HigherOrderStep.GradMode(
                        node, isEnabled, graph, call, released(node, at, outputs, Set.of())));
            }
            case AUTOCAST -> {
                ScalarType type = autocastType(node, inputs);
                boolean isEnabled = bool(node, inputs, 2), hasCache = bool(node, inputs, 3);
                CompiledGraph graph = nested(node, inputs, 4);
                HigherOrderStep.Call call = call(node, inputs, 5, outputs, graph);
                steps.add(new HigherOrderStep.AutocastRegion(
                        node, type, isEnabled, hasCache, graph, call, released(node, at, outputs, Set.of())));
            }
            default -> {
                Operand predicate = operand(node, inputs, 0);
                CompiledGraph ifTrue = nested(node, inputs, 1), ifFalse = nested(node, inputs, 2);
                HigherOrderStep.Call call = call(node, inputs, 3, outputs, ifTrue);
                checkCall(node, call, ifFalse);
                steps.add(new HigherOrderStep.Cond(
                        node, predicate, ifTrue, ifFalse, call, released(node, at, outputs, Set.of())));
            }
        }
    }

    private Argument input(Node node, List<Argument> inputs, int i) throws CheckpointException {
        if (i < inputs.size()) return inputs.get(i);
        throw new CheckpointException(file + ": " + where(node) + " has only " + inputs.size() + " arguments");
    }

    private boolean bool(Node node, List<Argument> inputs, int i) throws CheckpointException {
        if (input(node, inputs, i) instanceof Argument.Bool(boolean value)) return value;
        throw new CheckpointException(
                file + ": argument " + i + " of " + where(node) + " is " + kind(inputs.get(i)) + "; it must be a bool");
    }

    private ScalarType autocastType(Node node, List<Argument> inputs) throws CheckpointException {
        if (input(node, inputs, 1) instanceof Argument.ScalarType(int code)) {
            Integer type = FileCodes.type(code);
            for (ScalarType t : ScalarType.values()) if (type != null && t.value == type) return t;
        }
        throw new CheckpointException(file + ": " + where(node) + " is an autocast to " + kind(inputs.get(1)));
    }

    private CompiledGraph nested(Node node, List<Argument> inputs, int i) throws CheckpointException {
        if (input(node, inputs, i) instanceof Argument.SubGraph(String _, ProgramGraph graph)) {
            return new GraphCompiler(file, operators, flags, Map.of(), Map.of(), depth + 1).compile(graph);
        }
        throw new CheckpointException(file + ": argument " + i + " of " + where(node) + " is " + kind(inputs.get(i))
                + "; it must be a graph");
    }

    private Operand operand(Node node, List<Argument> inputs, int i) throws CheckpointException {
        if (input(node, inputs, i) instanceof Argument.TensorValue(String name)) {
            return new Operand.OfTensor(reference(name, where(node)));
        }
        return scalar(inputs.get(i), where(node));
    }

    private ValueRef reference(String name, String where) throws CheckpointException {
        IValue value = bound.get(name);
        return value == null ? new ValueRef(tensor(name, where), null) : new ValueRef(-1, value);
    }

    private HigherOrderStep.Call call(
            Node node, List<Argument> inputs, int from, List<Argument> outputs, CompiledGraph graph)
            throws CheckpointException {
        List<Argument> flat = flat(inputs.subList(Math.min(from, inputs.size()), inputs.size()));
        Operand[] operands = new Operand[flat.size()];
        for (int i = 0; i < operands.length; i++) operands[i] = operand(node, flat, i);
        Results results = results(node, outputs);
        HigherOrderStep.Call call = new HigherOrderStep.Call(operands, results.slots, results.isNumber);
        checkCall(node, call, graph);
        return call;
    }

    private void checkCall(Node node, HigherOrderStep.Call call, CompiledGraph graph) throws CheckpointException {
        boolean fits =
                call.operands().length == graph.inputs().length && call.results().length <= graph.outputs().length;
        for (int i = 0; fits && i < call.operands().length; i++) {
            CompiledGraph.Input to = graph.inputs()[i];
            fits = to.slot() < 0
                    || switch (call.operands()[i]) {
                        case Operand.OfTensor _ -> !to.isNumber();
                        case Operand.OfNumber _ -> to.isNumber();
                        case Operand.OfConstant(Object value) -> to.isNumber() && value != null;
                    };
        }
        for (int i = 0; fits && i < call.results().length; i++) {
            fits = call.results()[i] < 0
                    || switch (graph.outputs()[i]) {
                        case Operand.OfTensor _ -> !call.isNumber()[i];
                        case Operand.OfNumber _ -> call.isNumber()[i];
                        case Operand.OfConstant(Object value) ->
                            call.isNumber()[i] && value != null && !(value instanceof String);
                    };
        }
        if (fits) return;
        throw new CheckpointException(
                file + ": the operands or results of " + where(node) + " are not those of the nested graph");
    }

    private CompiledArgument argument(
            Node node, Operators.Operator operator, Operators.Parameter parameter, Node.Input input)
            throws CheckpointException {
        Argument inEvaluation = flags.inEvaluation(operator.name(), node, input);
        CompiledArgument compiled = argument(node, parameter, input.value());
        if (compiled == null) {
            throw new CheckpointException(file + ": " + where(node) + " passes " + kind(input.value()) + " as "
                    + parameter.name() + " of " + operator.name() + ", which takes " + parameter.type());
        }
        if (inEvaluation != null
                && compiled instanceof CompiledArgument.Constant(IValue training)
                && argument(node, parameter, inEvaluation) instanceof CompiledArgument.Constant(IValue evaluation)) {
            return new CompiledArgument.ModeFlag(training, evaluation);
        }
        return compiled;
    }

    /// Returns null if the argument does not fit the type.
    private @Nullable CompiledArgument argument(Node node, Operators.Parameter parameter, Argument argument)
            throws CheckpointException {
        SchemaType type = parameter.type();
        boolean isSingle = !type.isList();
        switch (argument) {
            case Argument.TensorValue(String name) -> {
                if (!isSingle || !type.isTensor()) return null;
                ValueRef value = reference(name, where(node));
                IValue tensor = value.bound();
                return tensor == null
                        ? new CompiledArgument.Value(value.slot(), false)
                        : new CompiledArgument.Constant(tensor);
            }
            case Argument.TensorValues(List<@Nullable String> names) -> {
                return isSingle || !type.isTensor() ? null : tensors(node, parameter, names);
            }
            case Argument.NumberValue(String name) -> {
                return numberValue(node, parameter, number(name, where(node)));
            }
            case Argument.Ints(List<Argument> values) -> {
                return isSingle ? null : integers(node, parameter, values);
            }
            case Argument.Int(long value) -> {
                return ConstantArguments.integer(parameter, value);
            }
            case Argument.Real(double value) -> {
                if (isSingle && type.isTensor()) return ConstantArguments.wrapped(value);
                if (isSingle) return type.isReal() || type.isScalar() ? ConstantArguments.of(new IValue(value)) : null;
                if (!type.isReal()) return null;
                double[] all = new double[parameter.count()];
                Arrays.fill(all, value);
                return ConstantArguments.of(CompiledArgument.reals(all));
            }
            case Argument.Reals(List<Double> values) -> {
                if (isSingle || !type.isReal()) return null;
                return ConstantArguments.of(CompiledArgument.reals(
                        values.stream().mapToDouble(d -> d).toArray()));
            }
            case Argument.Bool(boolean value) -> {
                if (!isSingle) return null;
                if (type.isTensor()) return ConstantArguments.wrapped(value);
                if (type.isInteger()) return ConstantArguments.of(new IValue(value ? 1L : 0L));
                return type.isTruth() || type.isScalar() ? ConstantArguments.of(new IValue(value)) : null;
            }
            case Argument.Bools(List<Boolean> values) -> {
                return isSingle || !type.isTruth() ? null : ConstantArguments.bools(parameter, values);
            }
            case Argument.Complex(double real, double imaginary) -> {
                return isSingle ? ConstantArguments.complex(type, real, imaginary) : null;
            }
            case Argument.Text(String value) -> {
                return isSingle && type.element().equals("str") ? ConstantArguments.of(new IValue(value)) : null;
            }
            case Argument.None _ -> {
                return type.isOptional() ? ConstantArguments.of(new IValue()) : null;
            }
            case Argument.ScalarType(int code) -> {
                return ConstantArguments.coded(type, "ScalarType", FileCodes.type(code));
            }
            case Argument.MemoryFormat(int code) -> {
                return ConstantArguments.coded(type, "MemoryFormat", FileCodes.memoryFormat(code));
            }
            case Argument.Layout(int code) -> {
                return ConstantArguments.coded(type, "Layout", FileCodes.layout(code));
            }
            case Argument.Device _ -> {
                return isSingle && type.element().equals("Device") ? new CompiledArgument.ModelDevice() : null;
            }
            case Argument.SubGraph _ -> {
                return null;
            }
        }
    }

    private @Nullable CompiledArgument numberValue(Node node, Operators.Parameter parameter, int slot)
            throws CheckpointException {
        SchemaType type = parameter.type();
        if (type.isList()) {
            if (!type.isInteger()) return null;
            int[] all = new int[parameter.count()];
            Arrays.fill(all, slot);
            return new CompiledArgument.IntegersOf(lists++, all, new long[all.length]);
        }
        if (type.isTensor()) return new CompiledArgument.NumberAsTensor(slot);
        if (type.isReal()) return new CompiledArgument.NumberAsReal(slot);
        return type.isInteger() || type.isScalar() || type.isTruth() ? new CompiledArgument.Value(slot, false) : null;
    }

    private @Nullable CompiledArgument integers(Node node, Operators.Parameter parameter, List<Argument> values)
            throws CheckpointException {
        if (parameter.type().isReal()) {
            double[] all = new double[values.size()];
            for (int i = 0; i < all.length; i++) {
                if (!(values.get(i) instanceof Argument.Int(long value))) return null;
                all[i] = value;
            }
            return ConstantArguments.of(CompiledArgument.reals(all));
        }
        if (!parameter.type().isInteger()) return null;
        int[] of = new int[values.size()];
        long[] constants = new long[of.length];
        boolean isConstant = true;
        for (int i = 0; i < of.length; i++) {
            of[i] = -1;
            switch (values.get(i)) {
                case Argument.Int(long value) -> constants[i] = value;
                case Argument.NumberValue(String name) -> {
                    of[i] = number(name, where(node));
                    isConstant = false;
                }
                default -> {
                    return null;
                }
            }
        }
        if (isConstant) return ConstantArguments.of(CompiledArgument.integers(constants));
        return new CompiledArgument.IntegersOf(lists++, of, constants);
    }

    private CompiledArgument tensors(Node node, Operators.Parameter parameter, List<@Nullable String> names)
            throws CheckpointException {
        @Nullable ValueRef[] elements = new @Nullable ValueRef[names.size()];
        for (int i = 0; i < elements.length; i++) {
            String name = names.get(i);
            if (name != null) elements[i] = reference(name, where(node));
        }
        if (parameter.elementType() == null) throw new IllegalStateException(parameter.name() + " is no list");
        return new CompiledArgument.TensorsOf(parameter.elementType(), elements);
    }

    /// Describes an argument for a message.
    private static String kind(Argument argument) {
        return switch (argument) {
            case Argument.TensorValue(String name) -> "the tensor " + name;
            case Argument.TensorValues _ -> "a list of tensors";
            case Argument.NumberValue(String name) -> "the number " + name;
            case Argument.Ints _ -> "a list of integers";
            case Argument.Int(long value) -> "the integer " + value;
            case Argument.Real(double value) -> "the number " + value;
            case Argument.Reals _ -> "a list of numbers";
            case Argument.Bool(boolean value) -> value ? "True" : "False";
            case Argument.Bools _ -> "a list of bools";
            case Argument.Complex _ -> "a complex number";
            case Argument.Text(String value) -> "the string '" + value + "'";
            case Argument.None _ -> "None";
            case Argument.ScalarType(int code) -> "the type " + code;
            case Argument.MemoryFormat(int code) -> "the memory format " + code;
            case Argument.Layout(int code) -> "the layout " + code;
            case Argument.Device(String type) -> "the device " + type;
            case Argument.SubGraph _ -> "a graph";
        };
    }
}
