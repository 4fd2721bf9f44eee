package org.tutti.train.torch.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.torch.graph.file.ExportedProgram;
import org.tutti.train.torch.graph.file.TensorMeta;
import org.tutti.train.torch.graph.file.TensorMeta.Size;
import org.tutti.train.torch.graph.file.TensorTypes;
import org.tutti.train.torch.tensor.Tensors;

/// Checks the types and sizes of the inputs before a run, because libtorch would report a wrong size somewhere inside
/// the model.
final class SizeChecks {
    /// The minimum of a variable size, as a file states it. It is 2, because PyTorch exports a size of 1 as a
    /// constant. A run with one sample is permitted despite this bound.
    private static final long SPECIALISED = 2;

    private static final String[] ORDINALS = {"first", "second", "third", "fourth", "fifth", "sixth"};

    private final String file;
    private final List<Expected> inputs = new ArrayList<>();
    private final List<String> names;
    private final Map<String, ExportedProgram.Range> ranges;

    /// The names of symbols in messages: `batch` for the first dimension of an input, `sequence` for the
    /// second.
    private final Map<String, String> symbolNames = new LinkedHashMap<>();

    /// @param expressions null for an unchecked size
    private record Expected(
            String name, TensorMeta meta, @Nullable SizeExpression[] expressions) {
        int dimensions() {
            return expressions.length;
        }
    }

    private record Bound(long value, String input) {}

    SizeChecks(String file, Map<String, TensorMeta> inputs, Map<String, ExportedProgram.Range> ranges) {
        this.file = file;
        this.ranges = ranges;
        names = List.copyOf(inputs.keySet());
        inputs.forEach((name, meta) -> {
            @Nullable
            SizeExpression[] sizes = new @Nullable SizeExpression[meta.sizes().size()];
            for (int d = 0; d < sizes.length; d++)
                sizes[d] = expression(meta.sizes().get(d));
            this.inputs.add(new Expected(name, meta, sizes));
        });
        for (Expected input : this.inputs) {
            for (int d = 0; d < input.dimensions(); d++) {
                if (input.expressions[d] instanceof SizeExpression.Symbol(String symbol)) nameSymbol(symbol, d);
            }
        }
    }

    private static @Nullable SizeExpression expression(Size size) {
        return switch (size) {
            case Size.Fixed(long value) -> new SizeExpression.Constant(value);
            case Size.Expression(String text, long _) -> SizeExpression.parse(text);
        };
    }

    private void nameSymbol(String symbol, int dimension) {
        if (symbolNames.containsKey(symbol)) return;
        String name = dimension == 0 ? "batch" : dimension == 1 ? "sequence" : symbol;
        symbolNames.put(symbol, symbolNames.containsValue(name) ? symbol : name);
    }

    /// @param given a tensor for each input, in order
    /// @throws TrainingException naming the first input that does not fit
    void check(List<Tensor> given) {
        Map<String, Bound> bound = new HashMap<>();
        Map<String, Long> values = new HashMap<>();
        long[][] sizes = new long[given.size()][];
        for (int i = 0; i < sizes.length; i++) {
            Expected input = inputs.get(i);
            checkIsGiven(input, given.get(i));
            checkType(input, given.get(i));
            sizes[i] = sizes(given.get(i));
            if (sizes[i].length != input.dimensions()) throw wrongSizes(input, sizes[i], "");
            for (int d = 0; d < sizes[i].length; d++) {
                if (input.expressions[d] instanceof SizeExpression.Symbol(String symbol)) {
                    bind(symbol, new Bound(sizes[i][d], input.name), bound);
                    values.put(symbol, sizes[i][d]);
                }
            }
        }
        for (int i = 0; i < sizes.length; i++) {
            for (int d = 0; d < sizes[i].length; d++) check(inputs.get(i), sizes[i], d, values);
        }
    }

    private void checkIsGiven(Expected input, @Nullable Tensor given) {
        if (given == null)
            throw new TrainingException(file + ": " + input.name + " is null; the model takes " + described());
    }

    private void checkType(Expected input, Tensor given) {
        Integer wanted = FileCodes.type(input.meta.dtype());
        if (wanted == null) return;
        int type = given.scalar_type().value;
        if (type == wanted || given.is_floating_point() && isReal(input.meta.dtype())) return;
        throw new TrainingException(file + ": " + input.name + " is " + Tensors.type(input.name, given)
                + "; the model takes " + described());
    }

    /// Returns whether the type is a floating-point type. A converted model may accept floating-point types
    /// that differ from the types in the file.
    private static boolean isReal(int type) {
        DType stored = TensorTypes.stored(type);
        return stored != null && stored.name().contains("F");
    }

    /// Returns the first input with a different type than at export, as a possible reason for a failed run:
    /// `x is F64, F32 at export`. Returns an empty string if there is none.
    String otherType(List<Tensor> given) {
        for (int i = 0; i < given.size(); i++) {
            Expected input = inputs.get(i);
            Integer type = FileCodes.type(input.meta.dtype());
            if (type == null || given.get(i).scalar_type().value == type) continue;
            return input.name + " is " + Tensors.type(input.name, given.get(i)) + ", " + typeName(input.meta.dtype())
                    + " at export";
        }
        return "";
    }

    private static long[] sizes(Tensor tensor) {
        long[] sizes = new long[(int) tensor.dim()];
        for (int d = 0; d < sizes.length; d++) sizes[d] = tensor.size(d);
        return sizes;
    }

    private void bind(String symbol, Bound now, Map<String, Bound> bound) {
        Bound before = bound.putIfAbsent(symbol, now);
        String name = symbolNames.getOrDefault(symbol, symbol);
        if (before != null && before.value != now.value) {
            throw new TrainingException(file + ": "
                    + (name.equals("batch")
                            ? now.input + " has " + samples(now.value) + ", " + before.input + " " + before.value
                                    + ": both are batch"
                            : name + " is " + now.value + " in " + now.input + ", but " + before.value + " in "
                                    + before.input));
        }
        ExportedProgram.Range range = ranges.get(symbol);
        if (range == null) return;
        long min = range.min() == SPECIALISED ? 1 : range.min();
        if (now.value >= min && now.value <= range.max()) return;
        String remedy = name.equals("batch") && now.value == 0
                ? "; a rank without samples in a step must not run the model, only call sync()"
                : "";
        String most = range.max() == Long.MAX_VALUE ? " or more" : " to " + range.max();
        throw new TrainingException(file + ": " + now.input + ": " + name + " is " + now.value
                + ", and was exported for " + Math.max(0, range.min()) + most + remedy);
    }

    private static String samples(long count) {
        return count + (count == 1 ? " sample" : " samples");
    }

    private void check(Expected input, long[] sizes, int d, Map<String, Long> values) {
        SizeExpression expression = input.expressions[d];
        if (expression == null || expression instanceof SizeExpression.Symbol) return;
        Long wanted = expression.value(values);
        if (wanted == null || wanted == sizes[d]) return;
        String remedy = expression instanceof SizeExpression.Constant ? constantAtExport(d) : "";
        throw wrongSizes(input, sizes, remedy);
    }

    private static String constantAtExport(int d) {
        String dimension = d < ORDINALS.length ? ORDINALS[d] : d + 1 + "th";
        String remedy = switch (d) {
            case 0 -> "; export with an example of at least 2 samples";
            case 1 -> "; if it may vary, name the input in sequence= of tutti_export";
            default -> "; if it may vary, make it a Dim in dynamic_shapes";
        };
        return ": the " + dimension + " dimension was a constant at export" + remedy;
    }

    private TrainingException wrongSizes(Expected input, long[] sizes, String remedy) {
        List<String> given = new ArrayList<>();
        for (long size : sizes) given.add(String.valueOf(size));
        return new TrainingException(file + ": " + input.name + " is " + product(given) + "; the model takes "
                + product(sizeNames(input)) + remedy);
    }

    private static String product(List<String> sizes) {
        return sizes.isEmpty() ? "a tensor without dimensions" : String.join(" x ", sizes);
    }

    private List<String> sizeNames(Expected input) {
        return input.meta.sizes().stream()
                .map(size -> switch (size) {
                    case Size.Fixed(long value) -> String.valueOf(value);
                    case Size.Expression(String text, long _) -> named(text);
                })
                .toList();
    }

    private String named(String expression) {
        String text = expression;
        for (Map.Entry<String, String> e : symbolNames.entrySet()) {
            text = text.replaceAll("\\b" + e.getKey() + "\\b", e.getValue());
        }
        return text;
    }

    /// Returns the names of the inputs, in order.
    List<String> names() {
        return names;
    }

    /// Returns all inputs with types and sizes: `input_ids I64 batch x sequence, labels I64 batch`.
    String described() {
        return inputs.stream()
                .map(i -> i.name + " " + typeName(i.meta.dtype())
                        + (i.dimensions() == 0 ? "" : " " + product(sizeNames(i))))
                .collect(Collectors.joining(", "));
    }

    private static String typeName(int code) {
        DType type = TensorTypes.stored(code);
        return type == null ? TensorTypes.name(code) : type.name();
    }

    /// Returns the largest permitted size of an input's dimension; `Long.MAX_VALUE` if it is not limited.
    long max(String input, int dimension) {
        for (Expected e : inputs) {
            if (!e.name.equals(input) || dimension >= e.dimensions()) continue;
            if (e.expressions[dimension] instanceof SizeExpression.Constant(long value)) return value;
            if (e.expressions[dimension] instanceof SizeExpression.Symbol(String symbol)
                    && ranges.containsKey(symbol)) {
                return ranges.get(symbol).max();
            }
        }
        return Long.MAX_VALUE;
    }
}
