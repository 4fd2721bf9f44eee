package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.tutti.train.torch.Trials.onRanks;
import static org.tutti.train.torch.graph.PythonFigures.distance;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.StringTensorDict;
import org.bytedeco.pytorch.StringTensorDictItem;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.tensor.Tensors;

/// Compares each exported program of the resources with PyTorch.
final class ExportedModelsTest {
    private static final double OUTPUTS = 1e-5, GRADIENTS = 1e-4, BUFFERS = 1e-6, LOSSES = 1e-4;
    private static final int STEPS = 50;

    /// Differences are relative to the largest gradient of the tensor, but at least to this fraction of the
    /// largest gradient of the model. Smaller gradients are rounding errors of 0, for example the gradient of a
    /// bias before a batch norm.
    private static final double ZERO = 1e-3;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mlp",
                "dropout",
                "lstm",
                "bert",
                "deberta",
                "gpt2",
                "llama",
                "mixtral",
                "t5",
                "resnet",
                "swin",
                "branches"
            })
    void outputsGradientsAndBuffersAreThoseOfPython(String name) {
        PythonFigures python = PythonFigures.of(name);
        GraphModel model = python.read();
        evaluate(python, model);
        model.train(true);
        try (PointerScope scope = new PointerScope()) {
            python.seed();
            Outputs outputs = model.run(python.tensors("in."));
            compareOutputs(python.tensors("out."), outputs);
            python.loss(outputs, 0, 1).backward();
            compareGradients(python.tensors("grad."), model);
            Map<String, Tensor> buffers = python.tensors("buffer.");
            buffersOf(model)
                    .forEach((buffer, tensor) -> assertThat(distance(tensor, buffers.get(buffer)))
                            .as("buffer %s", buffer)
                            .isLessThan(BUFFERS));
        }
        // the buffers have changed since the first evaluation; this evaluation must not change them
        Map<String, Tensor> before = buffersOf(model);
        before.replaceAll((_, tensor) -> tensor.clone());
        model.eval();
        try (NoGradGuard noGradients = new NoGradGuard()) {
            model.run(python.tensors("in."));
        }
        buffersOf(model)
                .forEach((buffer, tensor) -> assertThat(distance(tensor, before.get(buffer)))
                        .as("buffer %s", buffer)
                        .isZero());
    }

    private static void evaluate(PythonFigures python, GraphModel model) {
        model.eval();
        try (PointerScope scope = new PointerScope();
                NoGradGuard noGradients = new NoGradGuard()) {
            compareOutputs(python.tensors("eval."), model.run(python.tensors("in.")));
        }
    }

    private static void compareOutputs(Map<String, Tensor> python, Outputs outputs) {
        assertThat(python).isNotEmpty();
        python.forEach((name, tensor) -> {
            assertThat(Tensors.shape(outputs.get(name))).as(name).isEqualTo(Tensors.shape(tensor));
            assertThat(distance(outputs.get(name), tensor))
                    .as("output %s", name)
                    .isLessThan(OUTPUTS);
        });
    }

    private static void compareGradients(Map<String, Tensor> python, GraphModel model) {
        double largest = python.values().stream()
                .mapToDouble(g -> g.abs().max().item_double())
                .max()
                .orElseThrow();
        Set<String> found = new TreeSet<>();
        named(model.named_parameters()).forEach((name, parameter) -> {
            if (!parameter.mutable_grad().defined()) return;
            found.add(name);
            Tensor gradient = python.get(name);
            double scale = Math.max(gradient.abs().max().item_double(), ZERO * largest);
            assertThat(distance(parameter.mutable_grad(), gradient) / scale)
                    .as("gradient of %s", name)
                    .isLessThan(GRADIENTS);
        });
        assertThat(found).isEqualTo(new TreeSet<>(python.keySet()));
    }

    private static Map<String, Tensor> buffersOf(GraphModel model) {
        return named(model.named_buffers());
    }

    private static Map<String, Tensor> named(StringTensorDict of) {
        Map<String, Tensor> named = new TreeMap<>();
        for (long i = 0; i < of.size(); i++) {
            StringTensorDictItem item = of.get(i);
            named.put(item.key().getString(), new Tensor(item.value()));
        }
        return named;
    }

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "bert", "gpt2"})
    void fiftyStepsAreThoseOfPython(String name) {
        train(name, 1);
        train(name, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lstm", "deberta", "llama", "mixtral", "t5", "resnet", "swin", "branches"})
    @Tag("ci")
    void fiftyStepsOfLargerModels(String name) {
        train(name, 1);
        train(name, 2);
    }

    private static void train(String name, int ranks) {
        PythonFigures python = PythonFigures.of(name);
        onRanks(ranks, group -> {
            GraphModel model = python.read();
            Optimizer optimizer = python.optimizer(model.parameters());
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(model), group);
            ReplicaGuard guard = ReplicaGuard.of(group, 10);
            Map<String, Tensor> inputs = python.inputs(group.rank(), group.size());
            for (int step = 0; step < STEPS; step++) {
                double loss;
                try (Step s = ddp.step((int) python.samples(ranks))) {
                    optimizer.zero_grad();
                    Tensor ofRank = python.loss(model.run(inputs), group.rank(), ranks);
                    ofRank.backward();
                    loss = ofRank.item_double();
                    s.sync();
                    optimizer.step();
                    guard.check(step, TorchModel.of(model));
                }
                assertThat(mean(group, loss))
                        .as("loss of step %d on %d ranks", step, ranks)
                        .isCloseTo(python.loss(ranks, step), within(LOSSES));
            }
            return true;
        });
    }

    private static double mean(ProcessGroup group, double loss) {
        return group.sum(new double[] {loss})[0] / group.size();
    }
}
