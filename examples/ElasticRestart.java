/*
 * A rank is killed during training; all ranks are restarted and continue from the newest checkpoint.
 *
 * The model distinguishes four kinds of points. Every 20 steps rank 0 saves the parameters and the optimizer's
 * state. In step 50 of the first try rank 1 terminates as if killed by the machine; --max-restarts starts all ranks
 * again. At the end the ranks train once more without interruption: the loss is the same, to the last bit.
 *
 * On SIGTERM or SIGUSR1 (a batch system reclaims the machine, Kubernetes moves the pod) the training saves a
 * checkpoint and stops after the current step. The next run, with the same checkpoints=DIR, continues from there.
 *
 *     ./tutti run -n 2 --max-restarts 3 examples/ElasticRestart.java
 *
 *     try 0: from the beginning
 *     step  20: loss 0.…
 *     step  40: loss 0.…
 *     step 50: rank 1 is killed
 *     try 1: from the checkpoint of step 40
 *     step  60: loss 0.…
 *     …
 *     step 120: loss 0.…
 *     without interruption: loss 0.…, the same bits: true
 *
 * Options: kill=STEP (0: never), steps=N, checkpoints=DIR. DIR is not removed; a later run, on any number of ranks,
 * continues from the newest checkpoint in it.
 */

import java.lang.foreign.*;
import org.tutti.mpi.*;
import org.tutti.train.*;
import org.tutti.train.checkpoint.*;
import org.tutti.train.model.*;

static final int SAMPLES = 500, INPUTS = 6, KINDS = 4, GLOBAL_BATCH = 50, SAVE_EVERY = 20;
static final double RATE = 0.1, MOMENTUM = 0.9;

final int restart = Integer.parseInt(System.getenv().getOrDefault("TUTTI_RESTART", "0"));
int kill = 50, steps = 120;
volatile boolean stop; // set by a signal
Path kept;

void main(String[] args) throws IOException {
    readOptions(args);
    Mpi.onTermination(() -> stop = true);
    try (ProcessGroup group = ProcessGroup.init()) {
        Path directory = kept == null ? Path.of("elastic-restart") : kept;
        if (kept == null && restart == 0 && group.rank() == 0) remove(directory); // of a previous run
        group.barrier();
        double loss = train(group, Checkpoints.open(directory));
        if (Double.isNaN(loss)) return; // stopped by a signal
        double uninterrupted = train(group, null);
        if (group.rank() == 0) {
            IO.println("without interruption: loss " + uninterrupted + ", the same bits: " + (loss == uninterrupted));
            if (kept == null) remove(directory);
        }
    }
}

/// Returns the loss of the last step; NaN if a signal has stopped the training.
///
/// @param checkpoints for saving and resuming; null to train from the beginning, without saving or printing
double train(ProcessGroup group, Checkpoints checkpoints) throws IOException {
    Softmax model = new Softmax();
    int done = 0;
    if (checkpoints != null) {
        Checkpoints.FoundCheckpoint newest = checkpoints.findNewest(); // read by every rank: DDP sends only parameters
        if (newest != null) {
            done = (int) newest.step();
            try (Arena arena = Arena.ofConfined()) {
                model.load(newest.read(arena));
            }
        }
        String from = newest == null ? "the beginning" : "the checkpoint of step " + done;
        if (group.rank() == 0) IO.println("try " + restart + ": from " + from);
    }
    DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
    DistributedSampler sampler = DistributedSampler.of(SAMPLES, group).withShuffle(7);
    double loss = Double.NaN;
    boolean stops = false;
    int step = 0;
    for (int epoch = 0; step < steps; epoch++) {
        for (Batch batch : sampler.withEpoch(epoch).globalBatches(GLOBAL_BATCH)) {
            if (step == steps) break;
            if (++step <= done) continue; // steps before the checkpoint: only the samples are drawn
            try (DistributedDataParallel.Step s = ddp.step(batch.size())) {
                double mine = model.backward(batch.samples());
                if (checkpoints != null && step == kill && restart == 0 && group.rank() == 1) {
                    IO.println("step " + step + ": rank 1 is killed");
                    Runtime.getRuntime().halt(1); // no exception, no shutdown hooks
                }
                s.sync();
                // ranks receive a signal at different times; all stop after the step in which the first rank
                // received it
                double[] sums = group.sum(mine, stop ? 1 : 0);
                loss = sums[0] / batch.globalSize();
                model.descend();
                stops = sums[1] > 0;
            }
            if (stops && checkpoints != null) {
                if (group.rank() == 0) {
                    checkpoints.save(step, model.state(step));
                    IO.println("stopped after step " + step + ", which is saved");
                }
                group.barrier(); // the ranks end together, so that the save is complete
            }
            if (stops) return Double.NaN;
            if (checkpoints == null || step % SAVE_EVERY != 0) continue;
            if (group.rank() == 0) {
                IO.println("step %3d: loss %.6f".formatted(step, loss));
                checkpoints.save(step, model.state(step));
            }
            group.barrier(); // no rank is killed in a later step while this step is being saved
        }
    }
    return loss;
}

/// Softmax regression in plain loops: weights and biases, gradients, and the optimizer's state.
static class Softmax implements CpuModel {
    static final List<List<Long>> SHAPES = List.of(List.of((long) KINDS, (long) INPUTS), List.of((long) KINDS));
    static final List<String> NAMES = List.of("weight", "bias");

    final double[][] parameters = {new double[KINDS * INPUTS], new double[KINDS]};
    final double[][] gradients = {new double[KINDS * INPUTS], new double[KINDS]};
    final double[][] velocities = {new double[KINDS * INPUTS], new double[KINDS]};

    static List<Tensor> tensors(String prefix, double[][] data) {
        List<Tensor> tensors = new ArrayList<>();
        for (int i = 0; i < data.length; i++) {
            TensorSpec spec = new TensorSpec(prefix + NAMES.get(i), DType.F64, SHAPES.get(i));
            tensors.add(new Tensor(spec, MemorySegment.ofArray(data[i])));
        }
        return tensors;
    }

    @Override
    public List<Tensor> parameters() {
        return tensors("", parameters);
    }

    @Override
    public MemorySegment gradient(int i) {
        return MemorySegment.ofArray(gradients[i]);
    }

    @Override
    public MemorySegment createGradient(int i) {
        return gradient(i);
    }

    /// Computes the gradients of the mean loss of these samples; returns the sum of the losses.
    double backward(int[] samples) {
        for (double[] g : gradients) Arrays.fill(g, 0);
        double loss = 0;
        for (int sample : samples) {
            int kind = sample % KINDS;
            double[] x = input(sample), p = new double[KINDS];
            double total = 0;
            for (int k = 0; k < KINDS; k++) {
                double sum = parameters[1][k];
                for (int i = 0; i < INPUTS; i++) sum += parameters[0][k * INPUTS + i] * x[i];
                total += p[k] = StrictMath.exp(sum);
            }
            loss -= StrictMath.log(p[kind] / total);
            for (int k = 0; k < KINDS; k++) {
                double d = (p[k] / total - (k == kind ? 1 : 0)) / samples.length;
                gradients[1][k] += d;
                for (int i = 0; i < INPUTS; i++) gradients[0][k * INPUTS + i] += d * x[i];
            }
        }
        return loss;
    }

    /// Returns a point near the centre of the sample's class.
    static double[] input(int sample) {
        Random random = new Random(sample), centre = new Random(-1 - sample % KINDS);
        double[] x = new double[INPUTS];
        for (int i = 0; i < INPUTS; i++) x[i] = centre.nextGaussian() + random.nextGaussian();
        return x;
    }

    void descend() {
        for (int t = 0; t < parameters.length; t++) {
            for (int i = 0; i < parameters[t].length; i++) {
                velocities[t][i] = MOMENTUM * velocities[t][i] - RATE * gradients[t][i];
                parameters[t][i] += velocities[t][i];
            }
        }
    }

    Safetensors state(long step) {
        List<Tensor> all = new ArrayList<>(tensors("", parameters));
        all.addAll(tensors("velocity.", velocities));
        return new Safetensors(all, Map.of("step", Long.toString(step)));
    }

    void load(Safetensors state) {
        for (Tensor mine : state(0).tensors()) mine.data().copyFrom(state.tensor(mine.name()).data());
    }
}

void readOptions(String[] args) {
    for (String arg : args) {
        int equals = arg.indexOf('=') + 1;
        String value = arg.substring(equals);
        switch (arg.substring(0, equals)) {
            case "kill=" -> kill = Integer.parseInt(value);
            case "steps=" -> steps = Integer.parseInt(value);
            case "checkpoints=" -> kept = Path.of(value);
            default -> throw new IllegalArgumentException(arg + ": there are kill=STEP, steps=N and checkpoints=DIR");
        }
    }
}

static void remove(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) return;
    try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) Files.delete(file);
    }
    Files.delete(directory);
}
