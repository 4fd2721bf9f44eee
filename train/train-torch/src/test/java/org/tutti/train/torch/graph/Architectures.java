package org.tutti.train.torch.graph;

import static org.tutti.train.torch.graph.PythonFigures.distance;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.StringTensorDict;
import org.bytedeco.pytorch.Tensor;
import org.tutti.mpi.Mpi;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.graph.file.ExportedProgramReader;

/// Compares GraphModel with PyTorch, for a directory written by `src/test/python/architectures.py`, and prints
/// a table. First each rank trains without the other ranks, then all ranks train together; at most two ranks.
///
///     ./mvnw -q test-compile -pl :tutti-train-torch -am
///     ./tutti run --with torch -n 2 -cp train/train-torch/target/test-classes \
///         org.tutti.train.torch.graph.Architectures DIR
///
/// Further arguments are the names of models; all models of the directory by default. The exit code is 1 if a model
/// exceeds a limit.
final class Architectures {
    private static final double OUTPUTS = 1e-5, GRADIENTS = 1e-4, BUFFERS = 1e-6, LOSSES = 1e-4;

    /// Differences are relative to the largest gradient of the tensor, but at least to this fraction of the
    /// largest gradient of the model. Smaller gradients are rounding errors of 0, for example the gradient of a
    /// bias before a batch norm.
    private static final double ZERO = 1e-3;

    private static final int STEPS = 50;

    /// Some models have parameters for options that are off, so no step uses these parameters.
    private static final Options UNUSED = Options.DEFAULTS.withFindUnusedParameters(true);

    private Architectures() {}

    /// The largest differences between Java and Python. Gradients are relative to the largest value of the tensor;
    /// `single` is the difference of the losses on one rank, `together` on all ranks.
    private record Differences(double outputs, double gradients, double buffers, double single, double together) {
        boolean isWithinLimits() {
            return outputs <= OUTPUTS
                    && gradients <= GRADIENTS
                    && buffers <= BUFFERS
                    && single <= LOSSES
                    && together <= LOSSES;
        }
    }

    static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        List<String> names = args.length > 1 ? List.of(args).subList(1, args.length) : names(directory);
        List<String> failed = new ArrayList<>();
        try (Mpi mpi = Mpi.init();
                ProcessGroup all = ProcessGroup.of(mpi, mpi.world());
                ProcessGroup single = ProcessGroup.of(mpi, mpi.self())) {
            boolean prints = all.rank() == 0;
            if (prints) {
                System.out.println("| model | nodes | outputs | gradients | buffers | losses, 1 rank | "
                        + (all.size() == 1 ? "again |" : all.size() + " ranks |"));
                System.out.println("|---|---|---|---|---|---|---|");
            }
            for (String name : names) {
                try (Arena arena = Arena.ofConfined();
                        PointerScope scope = new PointerScope()) {
                    PythonFigures python = PythonFigures.of(directory.resolve(name + ".pt2"));
                    int nodes = ExportedProgramReader.read(python.program(), arena)
                            .graph()
                            .nodes()
                            .size();
                    Differences d = compare(python, all, single);
                    if (!d.isWithinLimits()) failed.add(name);
                    String row = "| %s | %d | %.1e | %.1e | %.1e | %.1e | %.1e |%n"
                            .formatted(name, nodes, d.outputs, d.gradients, d.buffers, d.single, d.together);
                    if (prints) System.out.print(row);
                } catch (TrainingException | IOException e) {
                    failed.add(name);
                    if (prints) System.out.println("| " + name + " | " + e.getMessage() + " |");
                }
            }
            if (prints)
                System.out.println((names.size() - failed.size()) + " of " + names.size() + " within the limits");
            if (prints && !failed.isEmpty()) System.out.println("not " + String.join(", ", failed));
        }
        if (!failed.isEmpty()) System.exit(1);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(f -> f.getFileName().toString())
                    .filter(f -> f.endsWith(".pt2"))
                    .map(f -> f.replace(".pt2", ""))
                    .sorted()
                    .toList();
        }
    }

    private static Differences compare(PythonFigures python, ProcessGroup all, ProcessGroup single) {
        GraphModel model = python.read();
        model.eval();
        double outputs = outputs(model.run(python.inputs(0, 1)), python.tensors("eval."));
        model.train(true);
        python.seed();
        Outputs trained = model.run(python.inputs(0, 1));
        outputs = Math.max(outputs, outputs(trained, python.tensors("out.")));
        python.loss(trained, 0, 1).backward();
        double[] worst = all.max(
                outputs, gradients(model, python), buffers(model, python), losses(python, single), losses(python, all));
        return new Differences(worst[0], worst[1], worst[2], worst[3], worst[4]);
    }

    private static double outputs(Outputs outputs, Map<String, Tensor> expected) {
        double worst = 0;
        for (String name : outputs.names()) worst = Math.max(worst, distance(outputs.get(name), expected.remove(name)));
        return expected.isEmpty() ? worst : Double.POSITIVE_INFINITY;
    }

    private static double gradients(GraphModel model, PythonFigures python) {
        Map<String, Tensor> expected = python.tensors("grad.");
        double largest = expected.values().stream()
                .mapToDouble(Architectures::largest)
                .max()
                .orElseThrow();
        double worst = 0;
        StringTensorDict parameters = model.named_parameters();
        for (long i = 0; i < parameters.size(); i++) {
            Tensor gradient = parameters.get(i).value().grad();
            Tensor of = expected.remove(parameters.get(i).key().getString());
            if (gradient.defined() != (of != null)) return Double.POSITIVE_INFINITY;
            if (of != null) worst = Math.max(worst, distance(gradient, of) / Math.max(largest(of), ZERO * largest));
        }
        return expected.isEmpty() ? worst : Double.POSITIVE_INFINITY;
    }

    private static double largest(Tensor tensor) {
        return tensor.abs().max().item_double();
    }

    private static double buffers(GraphModel model, PythonFigures python) {
        Map<String, Tensor> expected = python.tensors("buffer.");
        double worst = 0;
        StringTensorDict buffers = model.named_buffers();
        for (long i = 0; i < buffers.size(); i++) {
            Tensor of = expected.get(buffers.get(i).key().getString());
            worst = Math.max(worst, distance(buffers.get(i).value(), of));
        }
        return worst;
    }

    /// Trains, and returns the largest difference between a loss and PyTorch's loss of the same step.
    private static double losses(PythonFigures python, ProcessGroup group) {
        GraphModel model = python.read();
        TorchModel parameters = TorchModel.of(model);
        Optimizer optimizer = python.optimizer(parameters.trainableParameters());
        Map<String, Tensor> inputs = python.inputs(group.rank(), group.size());
        int samples = (int) python.samples(group.size());
        double worst = 0;
        try (DistributedDataParallel ddp = DistributedDataParallel.of(parameters, group, UNUSED)) {
            for (int i = 0; i < STEPS; i++) {
                try (Step step = ddp.step(samples);
                        PointerScope scope = new PointerScope()) {
                    optimizer.zero_grad();
                    python.seed();
                    Tensor loss = python.loss(model.run(inputs), group.rank(), group.size());
                    loss.backward();
                    double mean = group.mean(loss.item_double())[0];
                    step.sync();
                    optimizer.step();
                    worst = Math.max(worst, Math.abs(mean - python.loss(group.size(), i)));
                }
            }
        }
        return worst;
    }
}
