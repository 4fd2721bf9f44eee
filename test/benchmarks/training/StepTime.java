// Measures a data-parallel step: a perceptron 784-512-512-10 (2.7 MB of gradients), plain SGD, cross-entropy,
// and 64 random samples for each rank. step_time.py does the same with PyTorch, and `compare` alternates
// between the two programs.
//
//     ./tutti run --with torch -n 2 test/benchmarks/training/StepTime.java --backend shm --steps 300
//
// Rank 0 prints, in milliseconds, the medians of the step and of the communication that was not hidden, and the
// median time of an all-reduce of 1 KiB, 1 MiB and 64 MiB. A barrier on every rank precedes each measurement.
// The time of the slowest rank counts.

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.model.DType;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int BATCH = 64, WARM_UP = 600, WARM_UP_CALLS = 20;

static class Net extends Module {
    final LinearImpl first = register_module("first", new LinearImpl(784, 512));
    final LinearImpl second = register_module("second", new LinearImpl(512, 512));
    final LinearImpl last = register_module("last", new LinearImpl(512, 10));

    Tensor forward(Tensor x) {
        return last.forward(relu(second.forward(relu(first.forward(x)))));
    }
}

void main(String[] args) {
    String backend = option(args, "--backend", "shm");
    int steps = Integer.parseInt(option(args, "--steps", "300"));
    boolean plain = Boolean.parseBoolean(option(args, "--plain", "false")); // uses libtorch without Tutti
    boolean reduces = Boolean.parseBoolean(option(args, "--reduce", "true"));
    Options options = Options.DEFAULTS
            .withFirstBucketBytes(Long.parseLong(option(args, "--first-bucket", "1048576")))
            .withBucketBytes(Long.parseLong(option(args, "--bucket", "26214400")))
            .withProgressThread(Boolean.parseBoolean(option(args, "--progress-thread", "false")));
    try (ProcessGroup group = ProcessGroup.init(backend, Duration.ofSeconds(60))) {
        Net net = new Net();
        TorchModel model = TorchModel.of(net);
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options);
        if (plain) ddp.close();
        SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.01));
        manual_seed(1 + group.rank());
        Tensor x = randn(BATCH, 784);
        Tensor y = randint(10, new long[] {BATCH}, new TensorOptions(ScalarType.Long));
        double[] milliseconds = new double[steps], exposed = new double[steps];
        for (int i = -WARM_UP; i < steps; i++) {
            group.barrier();
            long before = ddp.communicationStats().exposedNanos(), start = System.nanoTime();
            if (plain) {
                try (PointerScope scope = new PointerScope()) {
                    optimizer.zero_grad();
                    cross_entropy_loss(net.forward(x), y).backward();
                    optimizer.step();
                }
            } else {
                try (Step step = ddp.step(BATCH)) {
                    optimizer.zero_grad();
                    cross_entropy_loss(net.forward(x), y).backward();
                    step.sync();
                    optimizer.step();
                }
            }
            if (i < 0) continue;
            milliseconds[i] = (System.nanoTime() - start) / 1e6;
            exposed[i] = (ddp.communicationStats().exposedNanos() - before) / 1e6;
        }
        report(group, "step", milliseconds);
        report(group, "exposed", exposed);
        for (int bytes : new int[] {1 << 10, 1 << 20, 64 << 20}) {
            if (group.size() > 1 && reduces) report(group, "allreduce-" + bytes, allreduces(group, bytes));
        }
    }
}

double[] allreduces(ProcessGroup group, int bytes) {
    MemorySegment data = group.allocate(bytes);
    double[] milliseconds = new double[bytes > 1 << 20 ? 20 : 200];
    for (int i = -WARM_UP_CALLS; i < milliseconds.length; i++) {
        group.barrier();
        long start = System.nanoTime();
        group.allreduce(data, DType.F32);
        if (i >= 0) milliseconds[i] = (System.nanoTime() - start) / 1e6;
    }
    return milliseconds;
}

void report(ProcessGroup group, String label, double[] mine) {
    Arrays.sort(mine);
    long[] medians = group.allgather(Double.doubleToLongBits(mine[mine.length / 2]));
    double slowest = Arrays.stream(medians).mapToDouble(Double::longBitsToDouble).max().orElse(0);
    if (group.rank() == 0) IO.println(String.format(Locale.ROOT, "%s %.4f", label, slowest));
}

String option(String[] args, String name, String otherwise) {
    int at = Arrays.asList(args).indexOf(name);
    return at < 0 || at + 1 == args.length ? otherwise : args[at + 1];
}
