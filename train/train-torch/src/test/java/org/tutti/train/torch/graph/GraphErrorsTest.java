package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.Test;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.file.Argument;
import org.tutti.train.torch.graph.file.ExportedProgram;
import org.tutti.train.torch.graph.file.ExportedProgramReader;
import org.tutti.train.torch.graph.file.Node;
import org.tutti.train.torch.graph.file.ProgramGraph;
import org.tutti.train.torch.tensor.LibTorch;

/// The messages that a user reads after a mistake.
final class GraphErrorsTest {
    private static final String BERT =
            "input_ids I64 batch x sequence, attention_mask I64 batch x sequence, labels I64 batch";

    private final PythonFigures python = PythonFigures.of("bert");
    private final GraphModel bert = python.read();

    private Map<String, Tensor> inputs(int samples, int words) {
        Map<String, Tensor> inputs = new HashMap<>();
        inputs.put("input_ids", integers(samples, words));
        inputs.put("attention_mask", integers(samples, words));
        inputs.put("labels", integers(samples));
        return inputs;
    }

    private static Tensor integers(long... shape) {
        return torch.ones(shape).to(ScalarType.Long);
    }

    private static void assertRefused(GraphModel model, Map<String, Tensor> inputs, String message) {
        assertThatThrownBy(() -> model.run(inputs))
                .isInstanceOf(TrainingException.class)
                .hasMessage(message);
    }

    @Test
    void missingAndUnknownInputsAreNamed() {
        Map<String, Tensor> inputs = inputs(3, 5);
        inputs.remove("attention_mask");
        assertRefused(bert, inputs, "bert.pt2: no attention_mask; the model takes " + BERT);
        inputs = inputs(3, 5);
        inputs.put("token_type_ids", integers(3, 5));
        assertRefused(bert, inputs, "bert.pt2 has no input token_type_ids; the model takes " + BERT);
        assertThatThrownBy(() -> bert.run(integers(3, 5)))
                .hasMessage("bert.pt2 is run with 1 tensor; the model takes " + BERT);
    }

    @Test
    void aWrongTypeIsNamed() {
        Map<String, Tensor> inputs = inputs(3, 5);
        inputs.replaceAll((_, t) -> t.to(ScalarType.Int));
        assertRefused(bert, inputs, "bert.pt2: input_ids is I32; the model takes " + BERT);
        inputs.replaceAll((_, t) -> t.to(ScalarType.Float));
        assertRefused(bert, inputs, "bert.pt2: input_ids is F32; the model takes " + BERT);
    }

    @Test
    void aMissingTensorIsNamed() {
        assertThatThrownBy(() -> bert.run(integers(3, 5), null, null))
                .hasMessage("bert.pt2: attention_mask is null; the model takes " + BERT);
    }

    @Test
    void changedRealTypesAreNamedIfARunFails() {
        GraphModel mlp = PythonFigures.of("mlp").read();
        Tensor x = torch.ones(4, 8).to(ScalarType.Double), labels = integers(4);
        assertThatThrownBy(() -> mlp.run(x, labels))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("mlp.pt2, node linear")
                .hasMessageEndingWith(" (x is F64, F32 at export)");
        mlp.to(ScalarType.Double, false);
        mlp.run(x, labels).get("loss").backward();
        assertThatThrownBy(() -> mlp.run(torch.ones(4, 8), labels))
                .hasMessageEndingWith(" (the model was converted after the export, and the graph contains the types of"
                        + " the export; export the converted model, or use Autocast)");
    }

    @Test
    void wrongSizesAreNamed() {
        assertRefused(bert, inputs(3, 33), "bert.pt2: input_ids: sequence is 33, and was exported for 2 to 32");
        Map<String, Tensor> inputs = inputs(3, 5);
        inputs.put("labels", integers(4));
        assertRefused(bert, inputs, "bert.pt2: labels has 4 samples, input_ids 3: both are batch");
        inputs = inputs(3, 5);
        inputs.put("attention_mask", integers(3, 6));
        assertRefused(bert, inputs, "bert.pt2: sequence is 6 in attention_mask, but 5 in input_ids");
        inputs.put("attention_mask", integers(3));
        assertRefused(bert, inputs, "bert.pt2: attention_mask is 3; the model takes batch x sequence");
    }

    @Test
    void aConstantDimensionIsNamed() {
        GraphModel mlp = PythonFigures.of("mlp").read();
        assertRefused(
                mlp,
                Map.of("x", torch.ones(4, 9), "labels", integers(4)),
                "mlp.pt2: x is 4 x 9; the model takes batch x 8: the second dimension was a constant at export; if it may"
                        + " vary, name the input in sequence= of tutti_export");
        GraphModel resnet = PythonFigures.of("resnet").read();
        assertRefused(
                resnet,
                Map.of("input", torch.ones(4, 3, 16, 32)),
                "resnet.pt2: input is 4 x 3 x 16 x 32; the model takes batch x 3 x 32 x 32: the third dimension was a"
                        + " constant at export; if it may vary, make it a Dim in dynamic_shapes");
    }

    /// The minimum size in the file is 2, because a size of 1 would be a constant.
    @Test
    void oneSampleRunsAndNoSampleDoesNot() {
        try (PointerScope scope = new PointerScope()) {
            bert.eval();
            Tensor two = bert.run(inputs(2, 5)).get("logits");
            Tensor one = bert.run(inputs(1, 5)).get("logits");
            assertThat(PythonFigures.distance(one, two.narrow(0, 0, 1))).isLessThan(1e-6);
        }
        assertRefused(
                bert,
                inputs(0, 5),
                "bert.pt2: input_ids: batch is 0, and was exported for 2 or more; a rank without samples in a step must"
                        + " not run the model, only call sync()");
    }

    @Test
    void anErrorInsideHasTheLineOfPython() {
        Map<String, Tensor> inputs = inputs(3, 5);
        inputs.put("input_ids", integers(3, 5).mul(new Scalar(1000)));
        assertThatThrownBy(() -> bert.run(inputs))
                .isInstanceOf(TrainingException.class)
                .hasMessageMatching(
                        "bert[.]pt2, node embedding [(]modeling_bert[.]py:\\d+, .*self[.]word_embeddings.*[)]:"
                                + " index out of range in self");
        // the next run is unaffected
        bert.run(inputs(3, 5)).get("loss").backward();
    }

    @Test
    void unknownOutputsAreNamed() {
        Outputs outputs = bert.run(inputs(3, 5));
        assertThatThrownBy(() -> outputs.get("hidden"))
                .hasMessage("bert.pt2: no output hidden; the model returns loss, logits");
        assertThatThrownBy(() -> outputs.get(2)).hasMessage("bert.pt2: no output 2; the model returns loss, logits");
    }

    @Test
    void parametersThatNoPatternMatchesAreNamed() {
        GraphModel mlp = PythonFigures.of("mlp").read();
        assertThatThrownBy(() -> mlp.freeze("body.*"))
                .isInstanceOf(TrainingException.class)
                .hasMessage("mlp.pt2: no parameter matches body.*; the model has net.0.weight, net.0.bias,"
                        + " net.1.weight, net.1.bias, net.5.weight, net.5.bias");
    }

    @Test
    void aProgramOfOneModeIsNotSwitched() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ExportedProgram trained = ExportedProgramReader.read(program("mlp"), arena);
            GraphModel evaluated = GraphModel.of(withoutFlags(trained));
            assertThat(evaluated.is_training()).isFalse();
            evaluated.eval();
            assertThatThrownBy(() -> evaluated.train(true))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("mlp.pt2 was exported in evaluation mode, and dropout and batch norm stay in this mode;"
                            + " export the model with train=True of tutti_export, or after model.train()");
            GraphModel decomposed = GraphModel.of(with(trained, trained.graph(), false));
            decomposed.train(true);
            assertThatThrownBy(decomposed::eval)
                    .isInstanceOf(TrainingException.class)
                    .hasMessage(
                            "mlp.pt2 was exported with run_decompositions() and cannot be switched to eval(); save the"
                                    + " result of torch.export.export");
        }
    }

    private static Path program(String name) {
        return PythonFigures.of(name).program();
    }

    private static ExportedProgram withoutFlags(ExportedProgram of) {
        ProgramGraph graph = of.graph();
        List<Node> nodes = graph.nodes().stream()
                .map(n -> new Node(
                        n.name(),
                        n.target(),
                        n.inputs().stream().map(GraphErrorsTest::withoutFlag).toList(),
                        n.outputs(),
                        n.source()))
                .toList();
        return with(of, new ProgramGraph(graph.inputs(), graph.outputs(), nodes, graph.tensors()), true);
    }

    private static Node.Input withoutFlag(Node.Input input) {
        return input.name().startsWith("train")
                ? new Node.Input(input.name(), new Argument.Bool(false), input.isKeyword())
                : input;
    }

    private static ExportedProgram with(ExportedProgram of, ProgramGraph graph, boolean isTraining) {
        return new ExportedProgram(
                of.file(),
                of.torchVersion(),
                isTraining,
                of.sha256(),
                graph,
                of.signature(),
                of.inputNames(),
                of.outputNames(),
                of.ranges(),
                of.weights(),
                of.constants());
    }

    private static Node call(String name, String target, String source, Node.Input... inputs) {
        return new Node(name, target, List.of(inputs), List.of(new Argument.TensorValue(name)), source);
    }

    private static Node.Input input(String name, Argument value) {
        return new Node.Input(name, value, false);
    }

    private static void compile(Node... nodes) throws CheckpointException {
        LibTorch.load();
        Argument x = new Argument.TensorValue("x");
        ProgramGraph graph = new ProgramGraph(List.of(x), List.of(), List.of(nodes), Map.of());
        Operators operators = new Operators();
        new GraphCompiler("m.pt2", operators, new ModeFlags(), Map.of(), Map.of()).compile(graph);
        operators.check("m.pt2");
    }

    private static final Node.Input X = input("self", new Argument.TensorValue("x"));

    @Test
    void allUnknownOperatorsAreInOneMessage() {
        assertThatThrownBy(() -> compile(
                        call(
                                "a",
                                "torch.ops.transformers.grouped_mm_fallback.default",
                                "modeling_mixtral.py:88, f(x)",
                                X),
                        call(
                                "b",
                                "torch.ops.transformers.grouped_mm_fallback.default",
                                "modeling_mixtral.py:90, f(x)",
                                X),
                        call("c", "torch.ops.aten.relu.default", "", X),
                        call("d", "torch.ops.aten.relu.nonsense", "", X),
                        call("e", "torch.ops.higher_order.while_loop", "", X)))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(
                        "m.pt2 calls 3 operators that libtorch 2.10 does not have: transformers::grouped_mm_fallback"
                                + " (2 times, first in modeling_mixtral.py:88, f(x)), aten::relu.nonsense (1 time),"
                                + " higher_order::while_loop (1 time); for mixtures of experts set"
                                + " experts_implementation=\"batched_mm\" before export");
    }

    @Test
    void operatorsThatOpenFilesAreRefused() {
        assertThatThrownBy(() -> compile(call(
                        "a",
                        "torch.ops.aten.from_file.default",
                        "",
                        input("filename", new Argument.Text("/etc/passwd")))))
                .hasMessage(
                        "m.pt2 calls 1 operator that libtorch 2.10 does not have, or that a file may not call: aten::from_file"
                                + " (1 time)");
    }

    @Test
    void anArgumentThatDoesNotFitTheSchemaIsRefused() {
        record Case(String target, Node.Input argument, String message) {}
        List<Case> cases = List.of(
                new Case(
                        "torch.ops.aten.view.default",
                        input("size", new Argument.Reals(List.of(1.5))),
                        "passes a list of numbers as size of aten::view, which takes a list of SymInt"),
                new Case(
                        "torch.ops.aten.view.default", input("shape", new Argument.Int(1)), "lacks size of aten::view"),
                new Case(
                        "torch.ops.aten.relu.default",
                        input("slope", new Argument.Int(1)),
                        "passes [slope], which aten::relu does not have"),
                new Case(
                        "torch.ops.aten.add.Tensor",
                        input("other", new Argument.Text("x")),
                        "passes the string 'x' as other of aten::add, which takes Tensor"),
                new Case(
                        "torch.ops.aten.add.Tensor",
                        input("other", new Argument.TensorValue("y")),
                        "uses y, which is not defined"),
                new Case(
                        "torch.ops.aten.to.dtype",
                        input("dtype", new Argument.ScalarType(99)),
                        "passes the type 99 as dtype of aten::to, which takes ScalarType"));
        for (Case c : cases) {
            assertThatThrownBy(() -> compile(call("n", c.target, "m.py:7, f()", X, c.argument)))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessage("m.pt2: node n (m.py:7, f()) " + c.message);
        }
    }

    @Test
    void aNameThatIsDefinedTwiceIsRefused() {
        assertThatThrownBy(() -> compile(call("x", "torch.ops.aten.relu.default", "", X)))
                .hasMessage("m.pt2: the graph defines x twice");
    }
}
