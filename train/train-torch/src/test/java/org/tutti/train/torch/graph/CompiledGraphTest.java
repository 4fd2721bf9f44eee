package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.Test;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.CompiledGraph.Operand;
import org.tutti.train.torch.graph.file.Argument;
import org.tutti.train.torch.graph.file.Node;
import org.tutti.train.torch.graph.file.ProgramGraph;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

/// Graphs of a few nodes with one input `x` and one output `y`.
final class CompiledGraphTest {
    private static final Argument X = new Argument.TensorValue("x"), Y = new Argument.TensorValue("y");

    private static Node.Input input(String name, Argument value) {
        return new Node.Input(name, value, false);
    }

    private static Node node(String target, Argument output, Node.Input... inputs) {
        String name = output instanceof Argument.TensorValue(String tensor) ? tensor : target;
        return new Node(name, "torch.ops.aten." + target, List.of(inputs), List.of(output), "");
    }

    private static CompiledGraph compile(Node... nodes) {
        LibTorch.load();
        Operators operators = new Operators();
        try {
            CompiledGraph graph = new GraphCompiler("m.pt2", operators, new ModeFlags(), Map.of(), Map.of())
                    .compile(new ProgramGraph(List.of(X), List.of(Y), List.of(nodes), Map.of()));
            operators.check("m.pt2");
            return graph;
        } catch (CheckpointException e) {
            throw new AssertionError(e);
        }
    }

    private static Tensor run(CompiledGraph graph, Tensor x) {
        RunConditions conditions = new RunConditions(true, RunConditions.OnDevice.of(new Device(DeviceType.CPU)), null);
        GraphRun run = graph.open(conditions);
        run.copy(new IValue(x), graph.inputs()[0].slot());
        run.execute();
        Operand.OfTensor output = (Operand.OfTensor) graph.outputs()[0];
        Tensor y = new Tensor(output.value().in(run).toTensor());
        graph.close(run);
        return y;
    }

    /// The list of sizes is reused in later runs while the sizes are equal.
    @Test
    void computedSizesFollowTheInput() {
        CompiledGraph graph = compile(
                node(
                        "sym_size.int",
                        new Argument.NumberValue("rows"),
                        input("self", X),
                        input("dim", new Argument.Int(0))),
                node(
                        "view.default",
                        Y,
                        input("self", X),
                        input(
                                "size",
                                new Argument.Ints(List.of(
                                        new Argument.Int(2),
                                        new Argument.NumberValue("rows"),
                                        new Argument.Int(-1))))));
        for (long rows : new long[] {3, 3, 5, 3}) {
            try (PointerScope scope = new PointerScope()) {
                assertThat(Tensors.shape(run(graph, torch.ones(rows, 4)))).containsExactly(2L, rows, 2L);
            }
        }
    }

    /// A number passed for a tensor argument does not change the type of the result, as in Python. If the
    /// number were converted to a 64-bit tensor, the type would change.
    @Test
    void aNumberForATensorKeepsTheTypeOfTheOther() {
        for (Argument number : List.of(new Argument.Int(1), new Argument.Real(1), new Argument.Bool(true))) {
            CompiledGraph graph = compile(node("add.Tensor", Y, input("self", X), input("other", number)));
            try (PointerScope scope = new PointerScope()) {
                Tensor y = run(graph, torch.ones(2).to(ScalarType.BFloat16));
                assertThat(y.scalar_type().intern()).isEqualTo(ScalarType.BFloat16);
                assertThat(y.sum().item_double()).isEqualTo(4);
            }
        }
        CompiledGraph computed = compile(
                node(
                        "sym_size.int",
                        new Argument.NumberValue("n"),
                        input("self", X),
                        input("dim", new Argument.Int(0))),
                node("mul.Tensor", Y, input("self", X), input("other", new Argument.NumberValue("n"))));
        try (PointerScope scope = new PointerScope()) {
            Tensor y = run(computed, torch.ones(3).to(ScalarType.BFloat16));
            assertThat(y.scalar_type().intern()).isEqualTo(ScalarType.BFloat16);
            assertThat(y.sum().item_double()).isEqualTo(9);
        }
    }

    @Test
    void aValueMayOccurTwiceInItsLastUse() {
        CompiledGraph graph = compile(
                node("relu.default", new Argument.TensorValue("h"), input("self", X)),
                node(
                        "add.Tensor",
                        Y,
                        input("self", new Argument.TensorValue("h")),
                        input("other", new Argument.TensorValue("h")),
                        input("alpha", new Argument.Real(2))));
        try (PointerScope scope = new PointerScope()) {
            for (int k = 0; k < 2; k++)
                assertThat(run(graph, torch.ones(4)).sum().item_double()).isEqualTo(12);
        }
    }

    @Test
    void listsAreTakenApartAndPutTogether() {
        CompiledGraph graph = compile(
                node(
                        "split.Tensor",
                        new Argument.TensorValues(Arrays.asList("a", null, "b")),
                        input("self", X),
                        input("split_size", new Argument.Int(1))),
                node("cat.default", Y, input("tensors", new Argument.TensorValues(List.of("b", "a", "b")))));
        try (PointerScope scope = new PointerScope()) {
            Tensor x = torch.arange(new Scalar(3)).to(ScalarType.Float);
            Tensor y = run(graph, x);
            assertThat(List.of(
                            y.get(0).item_double(),
                            y.get(1).item_double(),
                            y.get(2).item_double()))
                    .containsExactly(2.0, 0.0, 2.0);
        }
    }

    @Test
    void anAbsentIndexIsNone() {
        CompiledGraph graph = compile(
                node(
                        "argsort.default",
                        new Argument.TensorValue("order"),
                        input("self", X),
                        input("dim", new Argument.Int(1)),
                        input("descending", new Argument.Bool(true))),
                node(
                        "select.int",
                        new Argument.TensorValue("first"),
                        input("self", new Argument.TensorValue("order")),
                        input("dim", new Argument.Int(0)),
                        input("index", new Argument.Int(0))),
                node(
                        "index.Tensor",
                        Y,
                        input("self", X),
                        input("indices", new Argument.TensorValues(Arrays.asList(null, "first")))));
        try (PointerScope scope = new PointerScope()) {
            Tensor y =
                    run(graph, torch.arange(new Scalar(6)).to(ScalarType.Float).view(2, 3));
            assertThat(Tensors.shape(y)).containsExactly(2L, 3L);
            assertThat(y.get(1).get(0).item_double()).isEqualTo(5);
        }
    }
}
