package org.tutti.train.torch.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.train.torch.graph.file.Argument;
import org.tutti.train.torch.graph.file.Node;
import org.tutti.train.torch.graph.file.ProgramGraph;
import org.tutti.train.torch.graph.file.ProgramSignature;

/// Finds the layers of a graph that multiply by a weight: `aten.linear` and, for the `Conv1D` of GPT-2,
/// `aten.addmm`. Creates extended graphs, which add low-rank products to the results of these layers.
final class LinearLayers {
    private static final String WEIGHT = ".weight";
    private static final String LINEAR = "torch.ops.aten.linear.default", ADDMM = "torch.ops.aten.addmm.default";

    /// The code of `F32` in a file.
    private static final int F32 = 7;

    /// A layer of a module.
    ///
    /// @param module Python's name, such as `model.layers.0.self_attn.q_proj`
    /// @param input the weight's name in the graph
    /// @param isTransposed whether the weight has the shape inputs x outputs
    /// @param problem the reason why the layer cannot be extended; null if it can
    record Layer(
            String module,
            String input,
            boolean isTransposed,
            @Nullable String problem) {
        String weight() {
            return module + WEIGHT;
        }

        /// Returns the last part of the module's name.
        String kind() {
            return module.substring(module.lastIndexOf('.') + 1);
        }
    }

    /// The product to add to a layer: `scale * B(A(dropout(x)))`.
    ///
    /// @param a the parameter of `rank` x inputs, by Python's name
    /// @param b the parameter of outputs x `rank`
    /// @param isF32 whether the product is computed in `F32`, for a layer of 16 bits
    record Product(String a, String b, long rank, double scale, double dropout, boolean isF32) {}

    private final ProgramGraph graph;
    private final ProgramSignature signature;
    private final Map<String, Layer> layers = new LinkedHashMap<>();

    /// @param tied the names of parameters that share a tensor
    LinearLayers(ProgramGraph graph, ProgramSignature signature, Set<String> tied) {
        this.graph = graph;
        this.signature = signature;
        Map<String, List<Node>> uses = uses();
        for (ProgramSignature.Input input : signature.inputs()) {
            if (!(input instanceof ProgramSignature.Input.Parameter(String name, String parameter))) continue;
            if (!parameter.endsWith(WEIGHT)) continue;
            String module = parameter.substring(0, parameter.length() - WEIGHT.length());
            List<Node> nodes = uses.getOrDefault(name, List.of());
            String problem =
                    tied.contains(parameter) ? parameter + " is tied to a second parameter" : problem(name, nodes);
            layers.put(
                    module,
                    new Layer(
                            module,
                            name,
                            nodes.stream().anyMatch(n -> n.target().equals(ADDMM)),
                            problem));
        }
    }

    private Map<String, List<Node>> uses() {
        Map<String, List<Node>> uses = new HashMap<>();
        for (Node node : graph.nodes()) {
            for (Node.Input input : node.inputs()) {
                for (String name : names(input.value())) {
                    uses.computeIfAbsent(name, _ -> new ArrayList<>()).add(node);
                }
            }
        }
        return uses;
    }

    private static List<String> names(Argument argument) {
        return switch (argument) {
            case Argument.TensorValue(String name) -> List.of(name);
            case Argument.TensorValues(List<@Nullable String> all) -> {
                List<String> names = new ArrayList<>();
                for (String name : all) if (name != null) names.add(name);
                yield names;
            }
            default -> List.of();
        };
    }

    private static @Nullable String problem(String weight, List<Node> uses) {
        if (uses.isEmpty()) return "the graph does not use it";
        for (Node node : uses) {
            if (isProduct(node, weight)) continue;
            return "the weight is an operand of " + node.target().replaceFirst("^torch[.]ops[.]", "")
                    + (node.source().isEmpty() ? "" : " (" + node.source() + ")") + ", which is no linear layer";
        }
        boolean isMixed = uses.stream().map(Node::target).distinct().count() > 1;
        return isMixed ? "the weight is used with and without transposition" : null;
    }

    /// Returns whether the node is a plain product with the weight, possibly plus a bias, without further
    /// scaling.
    private static boolean isProduct(Node node, String weight) {
        String parameter = switch (node.target()) {
            case LINEAR -> "weight";
            case ADDMM -> "mat2";
            default -> "";
        };
        if (node.outputs().size() != 1 || !(node.outputs().getFirst() instanceof Argument.TensorValue)) return false;
        boolean isFound = false;
        for (Node.Input input : node.inputs()) {
            if (names(input.value()).contains(weight)) {
                if (!input.name().equals(parameter)) return false;
                isFound = true;
            }
            if (input.name().equals("alpha") || input.name().equals("beta")) return false;
        }
        return isFound;
    }

    Collection<Layer> all() {
        return layers.values();
    }

    @Nullable
    Layer find(String module) {
        return layers.get(module);
    }

    /// Returns the last parts of the names of all layers that can be extended.
    Set<String> kinds() {
        Set<String> kinds = new TreeSet<>();
        for (Layer l : layers.values()) if (l.problem == null) kinds.add(l.kind());
        return kinds;
    }

    /// A graph with added products.
    record Rewritten(ProgramGraph graph, ProgramSignature signature) {}

    /// Adds a product to each use of the layers.
    Rewritten with(Map<Layer, Product> products) {
        return new Rewriting(products).result();
    }

    private final class Rewriting {
        private final Map<Layer, Product> products;
        private final Set<String> names = new HashSet<>(graph.tensors().keySet());
        private final List<Argument> inputs = new ArrayList<>();
        private final List<ProgramSignature.Input> bound = new ArrayList<>();
        private final Map<Product, List<String>> parameters = new HashMap<>();
        private final List<Node> nodes = new ArrayList<>();
        private int number;

        Rewriting(Map<Layer, Product> products) {
            this.products = products;
            for (Node node : graph.nodes()) {
                names.add(node.name());
                for (Argument output : node.outputs()) {
                    names.addAll(names(output));
                    if (output instanceof Argument.NumberValue(String name)) names.add(name);
                }
            }
            for (Argument input : graph.inputs()) {
                names.addAll(names(input));
                if (input instanceof Argument.NumberValue(String name)) names.add(name);
            }
            products.forEach((layer, p) -> {
                parameters.put(p, List.of(input(p.a), input(p.b)));
            });
            inputs.addAll(graph.inputs());
            bound.addAll(signature.inputs());
        }

        private String input(String parameter) {
            String name = fresh("lora");
            inputs.add(new Argument.TensorValue(name));
            bound.add(new ProgramSignature.Input.Parameter(name, parameter));
            return name;
        }

        /// Returns an unused name for a value or node.
        private String fresh(String prefix) {
            String name = prefix + "_" + number++;
            while (!names.add(name)) name = prefix + "_" + number++;
            return name;
        }

        Rewritten result() {
            Map<String, Layer> byInput = new HashMap<>();
            for (Layer l : products.keySet()) byInput.put(l.input, l);
            for (Node node : graph.nodes()) {
                Layer layer = null;
                for (Node.Input input : node.inputs()) {
                    for (String name : names(input.value())) {
                        if (byInput.containsKey(name)) layer = byInput.get(name);
                    }
                }
                Product product = layer == null ? null : products.get(layer);
                if (product == null) nodes.add(node);
                else extend(node, product);
            }
            return new Rewritten(
                    new ProgramGraph(List.copyOf(inputs), graph.outputs(), List.copyOf(nodes), graph.tensors()),
                    new ProgramSignature(List.copyOf(bound), signature.outputs()));
        }

        /// Replaces `y = linear(x)` by `base = linear(x)` and `y = base + scale * B(A(dropout(x)))`.
        private void extend(Node node, Product product) {
            String result = names(node.outputs().getFirst()).getFirst();
            String base = fresh(result + "_base");
            nodes.add(new Node(
                    node.name(), node.target(), node.inputs(), List.of(new Argument.TensorValue(base)), node.source()));
            String x = operand(node);
            if (product.isF32) {
                Node.Input type = new Node.Input("dtype", new Argument.ScalarType(F32), false);
                x = call(node, "to.dtype", tensor("self", x), type);
            }
            if (product.dropout > 0) {
                x = call(
                        node,
                        "dropout.default",
                        tensor("input", x),
                        new Node.Input("p", new Argument.Real(product.dropout), false),
                        new Node.Input("train", new Argument.Bool(true), false));
            }
            for (String weight : parameters.getOrDefault(product, List.of())) {
                x = call(node, "linear.default", tensor("input", x), tensor("weight", weight));
            }
            Node.Input scale = new Node.Input("other", new Argument.Real(product.scale), false);
            x = call(node, "mul.Tensor", tensor("self", x), scale);
            Node.Input[] sum = {tensor("self", base), tensor("other", x)};
            if (product.isF32) {
                x = call(node, "add.Tensor", sum);
                add(node, "type_as.default", result, tensor("self", x), tensor("other", base));
            } else {
                add(node, "add.Tensor", result, sum);
            }
        }

        private static String operand(Node node) {
            String parameter = node.target().equals(LINEAR) ? "input" : "mat1";
            for (Node.Input input : node.inputs()) {
                if (input.name().equals(parameter)) return names(input.value()).getFirst();
            }
            throw new IllegalStateException(node + " has no " + parameter); // the compiler of graphs has checked it
        }

        private static Node.Input tensor(String parameter, String name) {
            return new Node.Input(parameter, new Argument.TensorValue(name), false);
        }

        private String call(Node at, String operator, Node.Input... operands) {
            String result = fresh("lora");
            add(at, operator, result, operands);
            return result;
        }

        private void add(Node at, String operator, String result, Node.Input... operands) {
            nodes.add(new Node(
                    fresh("lora_node"),
                    "torch.ops.aten." + operator,
                    List.of(operands),
                    List.of(new Argument.TensorValue(result)),
                    at.source()));
        }
    }
}
