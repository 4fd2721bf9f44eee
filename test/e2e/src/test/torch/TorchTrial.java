// Program of TorchTest, run with `--with torch`: trains a small network of libtorch, or makes an intentional
// mistake on rank 1.

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.OwnedComm;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;

import static org.bytedeco.pytorch.global.torch.*;

static final int SAMPLES = 500, TESTED = 499, FEATURES = 24, CLASSES = 6;

static class Net extends Module {
    final LinearImpl hidden, out;

    Net(int width) {
        hidden = register_module("hidden", new LinearImpl(FEATURES, width));
        out = register_module("out", new LinearImpl(width, CLASSES));
    }

    Tensor forward(Tensor x) {
        return out.forward(tanh(hidden.forward(x)));
    }
}

static final float[] X = new float[SAMPLES * FEATURES];
static final long[] Y = new long[SAMPLES];

Tensor x(int... samples) {
    float[] of = new float[samples.length * FEATURES];
    for (int i = 0; i < samples.length; i++) System.arraycopy(X, samples[i] * FEATURES, of, i * FEATURES, FEATURES);
    return Tensor.create(of, samples.length, FEATURES);
}

Tensor y(int... samples) {
    long[] of = new long[samples.length];
    for (int i = 0; i < samples.length; i++) of[i] = Y[samples[i]];
    return Tensor.create(of, samples.length);
}

void main(String[] args) throws Exception {
    Random random = new Random(5);
    for (int i = 0; i < X.length; i++) X[i] = (float) random.nextGaussian();
    for (int i = 0; i < Y.length; i++) Y[i] = random.nextInt(CLASSES);
    String mode = args[0];
    if (mode.equals("sizes")) {
        sizes(Path.of(args[1]), args);
        return;
    }
    try (ProcessGroup group = ProcessGroup.init()) {
        if (mode.equals("train")) train(group, Path.of(args[1]));
        else if (mode.equals("disk")) fill(group, Path.of(args[1]));
        else if (mode.equals("resume")) resume(group, Path.of(args[1]));
        else mistake(group, mode, group.rank() == 1);
    }
}

/// Trains twice on all ranks, then on rank 0 and on the other ranks separately, and stores each result in a
/// file.
void sizes(Path directory, String[] args) throws IOException {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        for (String name : List.of("all", "again")) {
            try (ProcessGroup group = ProcessGroup.of(mpi, world)) {
                train(group, directory.resolve(name));
            }
        }
        boolean isFirst = world.rank() == 0;
        try (OwnedComm part = world.split(isFirst ? 0 : 1, world.rank());
                ProcessGroup group = ProcessGroup.of(mpi, part)) {
            train(group, directory.resolve(isFirst ? "single" : "rest"));
        }
    }
}

/// Trains a hundred steps with global batches of 30, and then evaluates.
void train(ProcessGroup group, Path file) throws IOException {
    manual_seed(3);
    Net net = new Net(32);
    TorchModel model = TorchModel.of(net);
    DistributedDataParallel ddp = DistributedDataParallel.of(model, group, Options.DEFAULTS.withFirstBucketBytes(512).withBucketBytes(2048));
    SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.2));
    DistributedSampler sampler = DistributedSampler.of(SAMPLES, group).withShuffle(7);
    int steps = 0;
    for (int epoch = 0; steps < 100; epoch++) {
        for (Batch batch : sampler.withEpoch(epoch).globalBatches(30)) {
            if (steps++ == 100) break;
            try (Step step = ddp.step(batch.size())) {
                optimizer.zero_grad();
                cross_entropy_loss(net.forward(x(batch.samples())), y(batch.samples())).backward();
                step.sync();
                optimizer.step();
            }
        }
    }
    int[] mine = DistributedSampler.of(TESTED, group).samples();
    long right = net.forward(x(mine)).argmax(new org.bytedeco.pytorch.LongOptional(1), false).eq(y(mine)).sum().item_long();
    right = group.sum(right);
    if (group.rank() != 0) return;
    IO.println("test: " + right + " of " + TESTED);
    ByteBuffer bytes = ByteBuffer.allocate(1 << 20).order(ByteOrder.nativeOrder());
    for (org.tutti.train.model.Tensor p : model.parameters()) bytes.put(p.data().asByteBuffer());
    Files.write(file, java.util.Arrays.copyOf(bytes.array(), bytes.position()));
}

/// Trains forty steps with dropout, and repeats the last twenty from the checkpoint: the result has the same
/// bits.
void resume(ProcessGroup group, Path directory) throws IOException {
    Checkpoints checkpoints = Checkpoints.open(directory);
    manual_seed(11 + group.rank());
    Net net = new Net(32);
    Adam optimizer = new Adam(net.parameters(), new AdamOptions(1e-2));
    drop(group, net, optimizer, 0, 20);
    Safetensors state = TorchState.of(net, optimizer, Map.of(), group);
    if (group.rank() == 0) checkpoints.save(20, state);
    drop(group, net, optimizer, 20, 40);
    manual_seed(99);
    Net again = new Net(32);
    Adam other = new Adam(again.parameters(), new AdamOptions(1e-2));
    try (Arena arena = Arena.ofShared()) {
        TorchState.restore(checkpoints.loadNewest(group, arena).state(), again, other, group);
        drop(group, again, other, 20, 40);
    }
    boolean same = true;
    List<org.tutti.train.model.Tensor> one = TorchModel.of(net).parameters(), two = TorchModel.of(again).parameters();
    for (int i = 0; i < one.size(); i++) same &= one.get(i).data().mismatch(two.get(i).data()) == -1;
    List<String> all = group.allgather("" + same);
    if (group.rank() == 0) IO.println("the same bits: " + all);
}

void drop(ProcessGroup group, Net net, Adam optimizer, int from, int to) {
    try (DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group)) {
        for (int i = from; i < to; i++) {
            try (Step step = ddp.step(2)) {
                optimizer.zero_grad();
                int sample = 2 * (i * group.size() + group.rank());
                Tensor hidden = dropout(tanh(net.hidden.forward(x(sample, sample + 1))), 0.5, true);
                cross_entropy_loss(net.out.forward(hidden), y(sample, sample + 1)).backward();
                step.sync();
                optimizer.step();
            }
        }
    }
}

void mistake(ProcessGroup group, String mode, boolean here) throws Exception {
    Net net = new Net(mode.equals("shape") && here ? 31 : 32);
    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
    SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.01));
    for (int i = 1; i <= (mode.equals("fewer") && here ? 4 : 5); i++) {
        try (Step step = ddp.step(2)) {
            optimizer.zero_grad();
            if (mode.equals("forward") && here && i == 3) throw new IllegalStateException("sample 17 cannot be read");
            Tensor loss = cross_entropy_loss(net.forward(x(0, 1)), y(0, 1));
            if (mode.equals("nan") && here && i == 3) loss = loss.mul(new Scalar(Float.NaN));
            loss.backward();
            if (mode.equals("kill") && here && i == 3) kill();
            step.sync();
            optimizer.step();
        }
    }
}

void kill() throws Exception {
    new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor();
    Thread.sleep(60_000);
}

/// Saves checkpoints until the disk is full.
void fill(ProcessGroup group, Path directory) throws IOException {
    Net net = new Net(20_000);
    if (group.rank() > 0) return;
    Checkpoints checkpoints = Checkpoints.open(directory).withMaxToKeep(1000);
    for (int i = 1; i < 100; i++) checkpoints.save(i, TorchState.of(net, null, Map.of()));
}
