package org.tutti.train.torch.graph;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Argument;
import org.bytedeco.pytorch.Dispatcher;
import org.bytedeco.pytorch.FunctionSchema;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.OperatorHandle;
import org.bytedeco.pytorch.OperatorHandleOptional;
import org.bytedeco.pytorch.OperatorName;
import org.bytedeco.pytorch.Type;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.file.Node;

/// The operators of libtorch's dispatcher that a graph calls, each resolved once. Unknown operators are
/// collected for a single message.
final class Operators {
    private static final String PREFIX = "torch.ops.", HIGHER_ORDER = "torch.ops.higher_order.";

    /// The namespaces of operators that only compute.
    private static final Set<String> NAMESPACES = Set.of("aten", "prims", "quantized");

    /// Operators that open files. A graph must not decide which files are opened.
    private static final Set<String> REFUSED = Set.of("aten::from_file", "aten::save");

    /// Internal operators of libtorch, which do not check their arguments. No export contains these operators.
    private static final Pattern INTERNAL =
            Pattern.compile("aten::(_?cudnn_|_?mkldnn_|miopen_|_mps_|_nnpack_|_sobol_|_test_"
                    + "|_slow_conv2d_|_thnn_|_make_dep_token|_(remove|add)_batch_dim|_new_zeros_with_same_feature_meta"
                    + "|_cholesky_solve_helper|_cum(min|max)_helper|_dyn_quant_|_foreach_copy|_fused_sgd|_stack"
                    + "|_convert_indices_|quantized_[a-z]+_cell|_masked_softmax|_reshape_alias_copy"
                    + "|_transform_bias_rescale_qkv|choose_qparams|resize_as|slow_conv3d).*");

    private final Map<String, Operator> known = new LinkedHashMap<>();
    private final Map<String, Unknown> unknown = new LinkedHashMap<>();
    private boolean hasRefused;

    /// Checks of arguments for operators that libtorch runs without such checks, so that wrong arguments would
    /// cause accesses outside of a tensor's memory.
    private static final Map<String, Consumer<IValue[]>> CHECKS = Map.ofEntries(
            Map.entry("aten::lstm.input", LstmSizes::check),
            Map.entry("aten::native_batch_norm.", BatchNormSizes::check),
            Map.entry("aten::_native_batch_norm_legit.", BatchNormSizes::check),
            Map.entry("aten::_native_batch_norm_legit.no_stats", BatchNormSizes::check),
            Map.entry("aten::_native_batch_norm_legit_functional.", BatchNormSizes::check),
            Map.entry("aten::_native_batch_norm_legit_no_training.", BatchNormSizes::check),
            Map.entry("aten::_batch_norm_with_update.", BatchNormSizes::check),
            Map.entry("aten::_batch_norm_with_update_functional.", BatchNormSizes::check),
            Map.entry("aten::_batch_norm_no_update.", BatchNormSizes::check),
            Map.entry("aten::reflection_pad3d.", PaddingSizes::check),
            Map.entry("aten::_weight_norm.", WeightNormSizes::check),
            Map.entry("aten::_weight_norm_interface.", WeightNormSizes::check),
            Map.entry("aten::_fft_c2r.", FourierDimensions::check),
            Map.entry("aten::_fft_r2c.", FourierDimensions::check),
            Map.entry("aten::_fft_c2c.", FourierDimensions::check));

    /// @param parameters in the order of the stack
    /// @param check checks the arguments before each call; null for none
    record Operator(
            String name,
            OperatorHandle handle,
            List<Parameter> parameters,
            List<SchemaType> results,
            @Nullable Consumer<IValue[]> check) {}

    /// @param elementType the type of a list's elements; null if the parameter is not a list
    /// @param count for a list parameter, the number of elements to which a single value is extended, as in
    ///     Python
    /// @param defaultValue null if the parameter is required
    record Parameter(
            String name,
            SchemaType type,
            Type.@Nullable TypePtr elementType,
            int count,
            @Nullable IValue defaultValue) {}

    private record Unknown(int times, String firstSource) {}

    /// Returns null, and remembers the node, if libtorch does not have the operator, or a graph may not call
    /// it.
    @Nullable
    Operator find(Node node) {
        String target = node.target();
        if (!target.startsWith(PREFIX) || target.startsWith(HIGHER_ORDER)) return missing(node);
        String[] parts = target.substring(PREFIX.length()).split("[.]", -1);
        if (parts.length != 3 || !NAMESPACES.contains(parts[0])) return missing(node);
        String name = parts[0] + "::" + parts[1];
        if (REFUSED.contains(name) || INTERNAL.matcher(name).matches()) {
            hasRefused = true;
            return missing(node);
        }
        Operator found = known.get(target);
        if (found == null) {
            found = lookUp(name, parts[2].equals("default") ? "" : parts[2]);
            if (found == null) return missing(node);
            known.put(target, found);
        }
        return found;
    }

    /// Remembers a node that cannot be run. Returns null.
    @Nullable
    Operator missing(Node node) {
        unknown.merge(
                readable(node.target()),
                new Unknown(1, node.source()),
                (before, _) -> new Unknown(before.times + 1, before.firstSource));
        return null;
    }

    /// Returns `aten::add.Tensor` for `torch.ops.aten.add.Tensor`.
    private static String readable(String target) {
        if (!target.startsWith(PREFIX)) return target;
        String rest = target.substring(PREFIX.length());
        String name = rest.endsWith(".default") ? rest.substring(0, rest.length() - ".default".length()) : rest;
        return name.replaceFirst("[.]", "::");
    }

    private static @Nullable Operator lookUp(String name, String overload) {
        try (PointerScope scope = new PointerScope()) {
            OperatorHandleOptional found = Dispatcher.singleton().findSchema(new OperatorName(name, overload));
            if (!found.has_value()) return null;
            OperatorHandle handle = new OperatorHandle(found.get());
            handle.retainReference();
            FunctionSchema schema = handle.schema();
            return new Operator(
                    name,
                    handle,
                    parameters(schema.arguments()),
                    results(schema.returns()),
                    CHECKS.get(name + "." + overload));
        }
    }

    /// @param arguments null for none
    private static List<Parameter> parameters(@Nullable Argument arguments) {
        if (arguments == null) return List.of();
        List<Parameter> all = new ArrayList<>();
        for (long i = 0; i < arguments.limit() - arguments.position(); i++) {
            Argument a = arguments.getPointer(i);
            IValue value = null;
            if (a.default_value().has_value()) {
                value = new IValue(a.default_value().get());
                value.retainReference();
            }
            SchemaType type = SchemaType.of(a.real_type().get().str().getString());
            int count = a.N().has_value() ? a.N().get() : 1;
            all.add(new Parameter(a.name().getString(), type, type.isList() ? elementOf(a, type) : null, count, value));
        }
        return List.copyOf(all);
    }

    private static Type.TypePtr elementOf(Argument a, SchemaType type) {
        Type list = a.type().get();
        if (type.isOptional()) list = list.containedType(0).get();
        Type.TypePtr element = new Type.TypePtr(list.containedType(0));
        element.retainReference();
        return element;
    }

    /// @param returns null for none
    private static List<SchemaType> results(@Nullable Argument returns) {
        if (returns == null) return List.of();
        List<SchemaType> all = new ArrayList<>();
        for (long i = 0; i < returns.limit() - returns.position(); i++) {
            all.add(SchemaType.of(returns.getPointer(i).real_type().get().str().getString()));
        }
        return List.copyOf(all);
    }

    /// @throws CheckpointException if [#find] has returned null for an operator
    void check(String file) throws CheckpointException {
        if (unknown.isEmpty()) return;
        String list = unknown.entrySet().stream()
                .map(e -> e.getKey() + " (" + e.getValue().times + (e.getValue().times == 1 ? " time" : " times")
                        + (e.getValue().firstSource.isEmpty() ? "" : ", first in " + e.getValue().firstSource) + ")")
                .collect(Collectors.joining(", "));
        boolean isMixture = unknown.keySet().stream().anyMatch(n -> n.contains("grouped_mm"));
        throw new CheckpointException(file + " calls " + unknown.size()
                + (unknown.size() == 1 ? " operator" : " operators") + " that libtorch " + version()
                + (hasRefused ? " does not have, or that a file may not call: " : " does not have: ") + list
                + (isMixture
                        ? "; for mixtures of experts set experts_implementation=\"batched_mm\" before export"
                        : ""));
    }

    private static String version() {
        try {
            return Loader.getVersion("org.bytedeco", "pytorch").replaceFirst("[.]\\d+-.*", "");
        } catch (IOException e) {
            return "here";
        }
    }
}
