package org.tutti.train.torch.graph;

import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.tensor.LibTorch;

/// An exported program of the resources, with PyTorch's results; `architectures.py` describes the names.
record PythonFigures(Path program, Safetensors figures) {
    static PythonFigures of(String name) {
        try {
            return of(resource(name + ".pt2"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static PythonFigures of(Path program) throws IOException {
        Path figures = Path.of(program.toString().replaceFirst("[.]pt2$", ".safetensors"));
        return new PythonFigures(program, Safetensors.read(figures, Arena.ofAuto()));
    }

    static Path resource(String name) {
        try {
            return Path.of(PythonFigures.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the model. Sets libtorch to a single thread, because on a busy machine, threads that wait for
    /// each other are ten times slower.
    GraphModel read() {
        new LibTorch().prepare(OptionalInt.of(1));
        try {
            return GraphModel.read(program);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the tensors with names that begin with `prefix`, by the rest of the name.
    Map<String, Tensor> tensors(String prefix) {
        Map<String, Tensor> found = new LinkedHashMap<>();
        for (org.tutti.train.model.Tensor t : figures.tensors()) {
            if (t.name().startsWith(prefix)) found.put(t.name().substring(prefix.length()), tensor(t));
        }
        return found;
    }

    private static Tensor tensor(org.tutti.train.model.Tensor stored) {
        long[] shape = stored.spec().shape().stream().mapToLong(d -> d).toArray();
        MemorySegment data = stored.data();
        return switch (stored.spec().dtype()) {
            case F64 -> Tensor.create(data.toArray(ValueLayout.JAVA_DOUBLE), shape);
            case F32 -> Tensor.create(data.toArray(ValueLayout.JAVA_FLOAT), shape);
            case I64 -> Tensor.create(data.toArray(ValueLayout.JAVA_LONG), shape);
            default -> throw new AssertionError(stored.spec());
        };
    }

    /// Returns the inputs of a rank; the samples are divided equally among `ranks` ranks.
    Map<String, Tensor> inputs(int rank, int ranks) {
        Map<String, Tensor> inputs = tensors("in.");
        inputs.replaceAll((_, all) -> part(all, rank, ranks));
        return inputs;
    }

    private static Tensor part(Tensor all, int rank, int ranks) {
        long each = all.size(0) / ranks;
        return all.narrow(0, rank * each, each);
    }

    long samples(int ranks) {
        return tensors("in.").values().iterator().next().size(0) / ranks;
    }

    /// Returns the loss: an output, or the cross entropy of the logits.
    Tensor loss(Outputs outputs, int rank, int ranks) {
        Map<String, Tensor> target = tensors("target");
        if (target.isEmpty()) return outputs.names().contains("loss") ? outputs.get("loss") : outputs.get(0);
        Tensor logits = outputs.names().contains("logits") ? outputs.get("logits") : outputs.get(0);
        return cross_entropy_loss(logits, part(target.get(""), rank, ranks));
    }

    void seed() {
        torch.manual_seed(Long.parseLong(figures.metadata().get("seed")));
    }

    /// Returns the optimizer of PyTorch's training.
    Optimizer optimizer(TensorVector parameters) {
        double rate = Double.parseDouble(figures.metadata().get("rate"));
        return figures.metadata().get("optimizer").equals("SGD")
                ? new SGD(parameters, new SGDOptions(rate))
                : new AdamW(parameters, new AdamWOptions(rate));
    }

    /// Returns PyTorch's loss of a step.
    double loss(int ranks, int step) {
        return tensors((ranks == 1 ? "loss." : "loss2.") + step + "").get("").item_double();
    }

    /// Returns the largest difference of two tensors.
    static double distance(Tensor one, Tensor other) {
        if (one.numel() == 0 && other.numel() == 0) return 0;
        return doubles(one).sub(doubles(other)).abs().max().item_double();
    }

    private static Tensor doubles(Tensor of) {
        return of.detach().to(torch.ScalarType.Double);
    }
}
