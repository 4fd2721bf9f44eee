package org.tutti.train.torch.graph.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads graphs, nodes and arguments. An unsupported kind of argument is refused; the message contains the node
/// and the line of Python.
final class GraphParser {
    private static final Pattern TARGET = Pattern.compile("[\\w.:]{1,512}"), PARAMETER = Pattern.compile("\\w{0,128}");
    private static final int STRIDED = 7, LAST_MEMORY_FORMAT = 4, KEYWORD = 2;
    private static final Pattern DEVICE = Pattern.compile("[a-z]{1,16}");

    private final GraphJson json;
    private final String file;

    /// The reason why an argument is not supported; null if all are supported. The exception is thrown at the
    /// end of the node, because the name of the node may follow the arguments in the document.
    private @Nullable String problem;

    GraphParser(GraphJson json, String file) {
        this.json = json;
        this.file = file;
    }

    /// Reads a graph, and checks that each name is assigned once, before the first use.
    ProgramGraph graph() throws IOException {
        List<List<Argument>> ends = new ArrayList<>(List.of(List.of(), List.of()));
        List<Node> nodes = new ArrayList<>();
        List<Map<String, TensorMeta>> tensors = new ArrayList<>();
        json.object(field -> {
            switch (field) {
                case "inputs" -> ends.set(0, arguments("an input of the graph"));
                case "outputs" -> ends.set(1, arguments("an output of the graph"));
                case "nodes" -> json.list(() -> nodes.add(node(nodes.size())));
                case "tensor_values" -> tensors.add(json.map(this::tensor));
                default -> json.skip();
            }
        });
        ProgramGraph graph =
                new ProgramGraph(ends.get(0), ends.get(1), nodes, tensors.isEmpty() ? Map.of() : tensors.getFirst());
        new GraphNames(file).check(graph);
        return graph;
    }

    private List<Argument> arguments(String of) throws IOException {
        List<Argument> read = json.list(this::argument);
        requireSupported(of);
        return read;
    }

    /// Reads an argument outside of a node.
    Argument supported(String of) throws IOException {
        Argument read = argument();
        requireSupported(of);
        return read;
    }

    private void requireSupported(String of) throws CheckpointException {
        if (problem != null) throw new CheckpointException(file + ", " + of + ": " + problem);
    }

    private Node node(int index) throws IOException {
        String[] texts = {"", "", ""};
        List<Node.Input> inputs = new ArrayList<>();
        List<Argument> outputs = new ArrayList<>();
        json.object(field -> {
            switch (field) {
                case "target" -> texts[0] = json.name();
                case "name" -> texts[1] = json.isNull() ? "" : json.name();
                case "inputs" -> inputs.addAll(json.list(this::input));
                case "outputs" -> outputs.addAll(json.list(this::argument));
                case "metadata" ->
                    json.object(entry -> {
                        if (entry.equals("stack_trace")) texts[2] = PythonLine.of(json.text());
                        else json.skip();
                    });
                default -> json.skip();
            }
        });
        String name = texts[1].isEmpty() ? named(outputs, index) : texts[1];
        if (!TARGET.matcher(texts[0]).matches()) {
            throw new CheckpointException(file + ", node " + GraphJson.shown(name)
                    + (texts[0].isEmpty()
                            ? " has no target"
                            : " has the target " + GraphJson.shown(texts[0])
                                    + ", which is not the name of an operator"));
        }
        requireSupported("node " + GraphJson.shown(name) + " of " + GraphJson.shown(texts[0])
                + (texts[2].isEmpty() ? "" : " (" + texts[2] + ")"));
        return new Node(name, texts[0], compact(inputs), compact(outputs), texts[2]);
    }

    private static <T> List<T> compact(List<T> list) {
        return List.copyOf(list);
    }

    /// Returns a name for a node without a stored name, as in files of older versions: the name of the first
    /// output, or the node's index.
    private static String named(List<Argument> outputs, int index) {
        if (!outputs.isEmpty() && outputs.getFirst() instanceof Argument.TensorValue(String name)) return name;
        return "node " + index;
    }

    private Node.Input input() throws IOException {
        String[] name = {""};
        Argument[] value = new Argument[1];
        boolean[] isKeyword = new boolean[1];
        json.object(field -> {
            switch (field) {
                case "name" -> name[0] = json.text().isEmpty() ? "" : json.name();
                case "arg" -> value[0] = argument();
                case "kind" -> isKeyword[0] = !json.isNull() && json.integer() == KEYWORD;
                default -> json.skip();
            }
        });
        if (value[0] == null) throw json.refused("has no arg");
        if (!PARAMETER.matcher(name[0]).matches())
            throw json.refused(
                    "has the argument " + GraphJson.shown(name[0]) + ", which is not the name of a parameter");
        return new Node.Input(name[0], value[0], isKeyword[0]);
    }

    /// Reads an argument. Sets [#problem] if the argument is not supported; the result is then not used.
    private Argument argument() throws IOException {
        Argument[] read = new Argument[1];
        json.union(kind -> read[0] = argument(kind));
        return read[0];
    }

    private Argument argument(String kind) throws IOException {
        return switch (kind) {
            case "as_none" -> {
                json.skip();
                yield new Argument.None();
            }
            case "as_tensor" -> new Argument.TensorValue(namedValue());
            case "as_tensors" -> new Argument.TensorValues(json.<@Nullable String>list(this::namedValue));
            case "as_optional_tensor" -> {
                String name = optional();
                yield name == null ? new Argument.None() : new Argument.TensorValue(name);
            }
            case "as_optional_tensors" -> new Argument.TensorValues(json.<@Nullable String>list(this::optional));
            case "as_int" -> new Argument.Int(json.integer());
            case "as_ints" -> new Argument.Ints(json.list(() -> new Argument.Int(json.integer())));
            case "as_float" -> new Argument.Real(json.real());
            case "as_floats" -> new Argument.Reals(json.list(json::real));
            case "as_bool" -> new Argument.Bool(json.bool());
            case "as_bools" -> new Argument.Bools(json.list(json::bool));
            case "as_string" -> new Argument.Text(json.text());
            case "as_sym_int", "as_sym_float", "as_sym_bool" -> number();
            case "as_sym_ints" -> new Argument.Ints(json.list(this::integer));
            case "as_scalar_type" -> new Argument.ScalarType(TensorTypes.checked(json));
            case "as_memory_format" -> new Argument.MemoryFormat(memoryFormat());
            case "as_layout" -> new Argument.Layout(layout());
            case "as_device" -> new Argument.Device(device());
            case "as_complex" -> complex();
            case "as_graph" -> subgraph();
            default -> {
                json.skip();
                problem = "an argument of kind " + GraphJson.shown(kind) + " is not supported";
                yield new Argument.None();
            }
        };
    }

    /// Reads `{"name": …}`.
    String namedValue() throws IOException {
        String[] name = new String[1];
        json.object(field -> {
            if (field.equals("name")) name[0] = json.name();
            else json.skip();
        });
        if (name[0] == null) throw json.refused("has no name");
        return name[0];
    }

    private @Nullable String optional() throws IOException {
        String[] name = new String[1];
        json.union(kind -> {
            switch (kind) {
                case "as_tensor" -> name[0] = namedValue();
                case "as_none" -> json.skip();
                default -> throw json.refused("must be a tensor or none");
            }
        });
        return name[0];
    }

    private Argument number() throws IOException {
        Argument[] read = new Argument[1];
        json.union(kind -> read[0] = switch (kind) {
            case "as_name" -> new Argument.NumberValue(json.name());
            case "as_int" -> new Argument.Int(json.integer());
            case "as_float" -> new Argument.Real(json.real());
            case "as_bool" -> new Argument.Bool(json.bool());
            default -> throw json.refused("must be a name or a number");
        });
        return read[0];
    }

    private Argument integer() throws IOException {
        Argument read = number();
        if (read instanceof Argument.NumberValue || read instanceof Argument.Int) return read;
        throw json.refused("must be a name or an integer");
    }

    private Argument complex() throws IOException {
        double[] parts = new double[2];
        json.object(field -> {
            switch (field) {
                case "real" -> parts[0] = json.real();
                case "imag" -> parts[1] = json.real();
                default -> json.skip();
            }
        });
        return new Argument.Complex(parts[0], parts[1]);
    }

    /// Reads the graph of an argument. An earlier unsupported argument is an error of the outer node, not of the
    /// nested nodes.
    private ProgramGraph nested() throws IOException {
        @Nullable String outer = problem;
        problem = null;
        ProgramGraph graph = graph();
        problem = outer;
        return graph;
    }

    private Argument subgraph() throws IOException {
        String[] name = {""};
        ProgramGraph[] graph = new ProgramGraph[1];
        json.object(field -> {
            switch (field) {
                case "name" -> name[0] = json.text();
                case "graph" -> graph[0] = nested();
                default -> json.skip();
            }
        });
        if (graph[0] == null) throw json.refused("has no graph");
        return new Argument.SubGraph(name[0], graph[0]);
    }

    private int memoryFormat() throws IOException {
        int code = json.code();
        if (code < 1 || code > LAST_MEMORY_FORMAT) throw json.refused("has the unknown memory format " + code);
        return code;
    }

    private int layout() throws IOException {
        int code = json.code();
        if (code != STRIDED)
            problem = "the tensor layout " + TensorTypes.layout(code) + " is not supported, only strided tensors";
        return code;
    }

    private String device() throws IOException {
        String[] type = {""};
        json.object(field -> {
            if (field.equals("type")) type[0] = json.name();
            else json.skip();
        });
        if (!DEVICE.matcher(type[0]).matches())
            throw json.refused("has the unknown device " + GraphJson.shown(type[0]));
        return type[0];
    }

    private TensorMeta tensor() throws IOException {
        int[] type = new int[1];
        List<TensorMeta.Size> sizes = new ArrayList<>();
        boolean[] requiresGradient = new boolean[1];
        String[] device = {""};
        json.object(field -> {
            switch (field) {
                case "dtype" -> type[0] = TensorTypes.checked(json);
                case "sizes" -> sizes.addAll(json.list(this::size));
                case "requires_grad" -> requiresGradient[0] = json.bool();
                case "device" -> device[0] = device();
                default -> json.skip();
            }
        });
        if (type[0] == 0) throw json.refused("has no dtype");
        return new TensorMeta(type[0], List.copyOf(sizes), requiresGradient[0], device[0]);
    }

    private TensorMeta.Size size() throws IOException {
        TensorMeta.Size[] read = new TensorMeta.Size[1];
        json.union(kind -> {
            switch (kind) {
                case "as_int" -> read[0] = new TensorMeta.Size.Fixed(json.integer());
                case "as_expr" -> read[0] = expression();
                default -> throw json.refused("must be an integer or an expression");
            }
        });
        return read[0];
    }

    private TensorMeta.Size expression() throws IOException {
        String[] text = new String[1];
        long[] hint = {-1};
        json.object(field -> {
            switch (field) {
                case "expr_str" -> text[0] = SymbolicText.of(json.text());
                case "hint" -> {
                    if (json.isNull()) return;
                    // earlier versions of PyTorch store the hint as an integer, not as an object
                    if (!json.isObject()) hint[0] = json.integer();
                    else {
                        json.union(kind -> {
                            if (kind.equals("as_int")) hint[0] = json.integer();
                            else json.skip();
                        });
                    }
                }
                default -> json.skip();
            }
        });
        if (text[0] == null) throw json.refused("has no expression");
        return new TensorMeta.Size.Expression(text[0], hint[0]);
    }
}
