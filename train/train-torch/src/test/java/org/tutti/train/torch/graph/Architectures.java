package org.tutti.train.torch.graph;

import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.manual_seed;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.tutti.mpi.Mpi;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.graph.file.ExportedProgramReader;

/// Compares GraphModel with PyTorch, for a directory that `src/test/python/architectures.py` has written, and prints
/// a table. Each rank trains alone at first, then all ranks train; there are two at most.
///
///     ./tutti run --with torch -n 2 train/train-torch/src/test/java/org/tutti/train/torch/graph/Architectures.java DIR
///
/// Further arguments are the names of models; all models of the directory by default. The exit code is 1 if a model
/// exceeds a limit.
public final class Architectures {
    private static final double OUTPUTS = 1e-5, GRADIENTS = 1e-4, LOSSES = 1e-4;

    /// Gradients below this part of the largest of the model are rounding errors of zero, for example those of a
    /// bias before batch norm.
    private static final double ZERO = 1e-3;

    private static final int STEPS = 50;

    /// Some models have parameters for options that are off.
    private static final Options UNUSED = Options.DEFAULTS.withFindUnusedParameters(true);

    private Architectures() {}

    /// The differences between Java and Python. Gradients are relative to the largest value of the tensor; losses are
    /// of 1 rank and of 2.
    private record Differences(
            int nodes, double outputs, double gradients, double buffers, double alone, double together) {
        boolean isWithinLimits() {
            return Math.max(outputs, buffers) <= OUTPUTS
                    && gradients <= GRADIENTS
                    && Math.max(alone, together) <= LOSSES;
        }
    }

    /// The part of a model's samples that a rank has, and the losses of PyTorch.
    private record Samples(Map<String, Tensor> inputs, Tensor target, long size, String losses) {}

    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        List<String> names = args.length > 1 ? List.of(args).subList(1, args.length) : names(directory);
        List<String> failed = new ArrayList<>();
        try (Mpi mpi = Mpi.init();
                ProcessGroup all = ProcessGroup.of(mpi, mpi.world());
                ProcessGroup alone = ProcessGroup.of(mpi, mpi.self())) {
            if (all.rank() == 0)
                System.out.println("| model | nodes | outputs | gradients | buffers | losses, 1 rank | 2 ranks |");
            if (all.rank() == 0) System.out.println("|---|---|---|---|---|---|---|");
            for (String name : names) {
                try (Arena arena = Arena.ofConfined();
                        PointerScope scope = new PointerScope()) {
                    Differences d = compare(directory.resolve(name), all, alone, arena);
                    if (!d.isWithinLimits()) failed.add(name);
                    String row = "| %s | %d | %.1e | %.1e | %.1e | %.1e | %.1e |";
                    if (all.rank() == 0) {
                        System.out.printf(
                                Locale.ROOT,
                                row + "%n",
                                name,
                                d.nodes,
                                d.outputs,
                                d.gradients,
                                d.buffers,
                                d.alone,
                                d.together);
                    }
                } catch (RuntimeException | IOException e) {
                    failed.add(name);
                    if (all.rank() == 0) System.out.println("| " + name + " | " + e.getMessage() + " |");
                }
            }
            if (all.rank() == 0) {
                System.out.println((names.size() - failed.size()) + " of " + names.size() + " are within the limits");
                if (!failed.isEmpty()) System.out.println("not " + String.join(", ", failed));
            }
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

    private static Differences compare(Path files, ProcessGroup all, ProcessGroup alone, Arena arena)
            throws IOException {
        Path program = files.resolveSibling(files.getFileName() + ".pt2");
        Safetensors python = ModelFiles.read(files.resolveSibling(files.getFileName() + ".safetensors"), arena);
        Map<String, Tensor> figures = new HashMap<>();
        for (var t : python.tensors()) figures.put(t.name(), tensor(t));
        Map<String, Tensor> inputs = new HashMap<>();
        for (String name : figures.keySet())
            if (name.startsWith("in.")) inputs.put(name.substring(3), figures.get(name));
        Samples whole = new Samples(
                inputs, figures.get("target"), inputs.values().iterator().next().size(0), "loss.");

        int nodes = ExportedProgramReader.read(program, arena).graph().nodes().size();
        GraphModel model = GraphModel.read(program);
        model.eval();
        double outputs = outputs("eval.", model.run(inputs), figures);
        model.train(true);
        seed(python);
        Outputs trained = model.run(inputs);
        outputs = Math.max(outputs, outputs("out.", trained, figures));
        loss(trained, whole).backward();

        double gradients = 0, buffers = 0, largest = 0;
        for (String name : figures.keySet()) {
            if (name.startsWith("grad.")) largest = Math.max(largest, largest(figures.get(name)));
        }
        try (TensorVector parameters = model.parameters()) {
            var named = model.named_parameters();
            for (long i = 0; i < named.size(); i++) {
                String name = "grad." + named.get(i).key().getString();
                Tensor parameter = named.get(i).access();
                Tensor gradient = parameter.grad(), expected = figures.remove(name);
                if (expected == null) {
                    if (gradient.defined()) throw new IllegalStateException(name + " is none in Python");
                    continue;
                }
                double reference = Math.max(largest(expected), ZERO * largest);
                gradients = Math.max(gradients, difference(gradient, expected) / reference);
            }
            var stored = model.named_buffers();
            for (long i = 0; i < stored.size(); i++) {
                Tensor expected = figures.get("buffer." + stored.get(i).key().getString());
                buffers = Math.max(buffers, difference(stored.get(i).access(), expected));
            }
        }
        for (String name : figures.keySet()) {
            if (name.startsWith("grad.")) throw new IllegalStateException(name + ": the model has no such parameter");
        }
        double one = losses(program, whole, python, alone);
        double two = losses(program, all.size() == 1 ? whole : part(whole, all), python, all);
        double[] max = all.max(outputs, gradients, buffers, one, two);
        return new Differences(nodes, max[0], max[1], max[2], max[3], max[4]);
    }

    /// Returns the largest difference of the losses of a training.
    private static double losses(Path program, Samples samples, Safetensors python, ProcessGroup group)
            throws IOException {
        GraphModel model = GraphModel.read(program);
        TorchModel parameters = TorchModel.of(model);
        double rate = Double.parseDouble(python.metadata().get("rate")), worst = 0;
        Optimizer optimizer = python.metadata().get("optimizer").equals("SGD")
                ? new SGD(parameters.trainableParameters(), new SGDOptions(rate))
                : new AdamW(parameters.trainableParameters(), new AdamWOptions(rate));
        try (DistributedDataParallel ddp = DistributedDataParallel.of(parameters, group, UNUSED)) {
            for (int i = 0; i < STEPS; i++) {
                double loss;
                try (var step = ddp.step((int) samples.size);
                        PointerScope scope = new PointerScope()) {
                    optimizer.zero_grad();
                    seed(python);
                    Tensor tensor = loss(model.run(samples.inputs), samples);
                    tensor.backward();
                    loss = group.mean(tensor.item_double())[0];
                    step.sync();
                    optimizer.step();
                }
                float expected = python.tensor(samples.losses + i).data().get(ValueLayout.JAVA_FLOAT, 0);
                worst = Math.max(worst, absolute(loss - expected));
            }
        }
        return worst;
    }

    private static Samples part(Samples whole, ProcessGroup group) {
        long size = whole.size / group.size(), first = size * group.rank();
        Map<String, Tensor> inputs = new HashMap<>();
        whole.inputs.forEach((name, tensor) -> inputs.put(name, tensor.narrow(0, first, size)));
        Tensor target = whole.target == null ? null : whole.target.narrow(0, first, size);
        return new Samples(inputs, target, size, "loss2.");
    }

    private static void seed(Safetensors python) {
        manual_seed(Long.parseLong(python.metadata().get("seed")));
    }

    private static Tensor loss(Outputs outputs, Samples samples) {
        if (samples.target == null) return outputs.names().contains("loss") ? outputs.get("loss") : outputs.get(0);
        return cross_entropy_loss(
                outputs.names().contains("logits") ? outputs.get("logits") : outputs.get(0), samples.target);
    }

    private static double outputs(String prefix, Outputs outputs, Map<String, Tensor> figures) {
        double worst = 0;
        for (String name : outputs.names()) {
            Tensor expected = figures.get(prefix + name);
            if (expected == null) throw new IllegalStateException("output " + name + " is none in Python");
            worst = Math.max(worst, difference(outputs.get(name), expected));
        }
        return worst;
    }

    private static Tensor tensor(org.tutti.train.model.Tensor from) {
        long[] shape = from.spec().shape().stream().mapToLong(n -> n).toArray();
        return switch (from.spec().dtype()) {
            case F32 -> Tensor.create(from.data().toArray(ValueLayout.JAVA_FLOAT), shape);
            case I64 -> Tensor.create(from.data().toArray(ValueLayout.JAVA_LONG), shape);
            default -> throw new IllegalArgumentException(from.spec() + ": no figures have this type");
        };
    }

    private static double difference(Tensor tensor, Tensor expected) {
        if (!tensor.defined()) throw new IllegalStateException("no gradient, and Python has one");
        return largest(tensor.sub(expected));
    }

    private static double largest(Tensor tensor) {
        return tensor.numel() == 0 ? 0 : absolute(tensor.abs().max().item_double());
    }

    /// NaN exceeds every limit.
    private static double absolute(double value) {
        return Double.isNaN(value) ? Double.POSITIVE_INFINITY : Math.abs(value);
    }
}
