/*
 * Trains a convolutional network of libtorch on handwritten digits, with batch norm over the samples of all ranks,
 * dropout, batches prefetched by threads, and checkpoints. Training resumes from a checkpoint with bit-identical
 * results.
 *
 *     ./tutti run --with torch -n 2 examples/DigitsConvolution.java
 *
 *     step 20: loss …, … samples/s, communication … %
 *     …
 *     test accuracy: 0.98… (… of 360)
 *
 * With checkpoints=DIRECTORY a checkpoint is saved after each epoch. A later run, on the same number of ranks,
 * continues from the newest checkpoint.
 *
 * Arguments: epochs=8 batch=64 seed=2 checkpoints=DIRECTORY data=FILE
 */

import java.lang.foreign.Arena;
import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.jspecify.annotations.Nullable;
import org.tutti.train.BatchLoader;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.SyncBatchNorm;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;

import static org.bytedeco.pytorch.global.torch.*;

static final int SIDE = 8, PIXELS = SIDE * SIDE, TEST = 360;

static class Network extends Module {
    final Conv2dImpl edges = register_module("edges", convolution(1, 16));
    final SyncBatchNorm edgesNorm;
    final Conv2dImpl shapes = register_module("shapes", convolution(16, 32));
    final SyncBatchNorm shapesNorm;
    final LinearImpl digits = register_module("digits", new LinearImpl(32 * 2 * 2, 10));

    Network(ProcessGroup group) {
        edgesNorm = register_module("edgesNorm", new SyncBatchNorm(16, group));
        shapesNorm = register_module("shapesNorm", new SyncBatchNorm(32, group));
    }

    /// The kernel size is a LongPointer with two dimensions; `new LongPointer(3)` would allocate three numbers.
    static Conv2dImpl convolution(long from, long to) {
        Conv2dOptions options = new Conv2dOptions(from, to, new LongPointer(new long[] {3, 3}));
        options.padding().put(new LongPointer(new long[] {1, 1}));
        return new Conv2dImpl(options);
    }

    Tensor forward(Tensor images) {
        Tensor x = max_pool2d(relu(edgesNorm.forward(edges.forward(images))), 2, 2);
        x = max_pool2d(relu(shapesNorm.forward(shapes.forward(x))), 2, 2);
        return digits.forward(dropout(x.flatten(1, -1), 0.3, is_training()));
    }
}

/// Images and labels. When the program requests the next batch, BatchLoader closes the previous one, which
/// frees the memory.
record Digits(Tensor images, Tensor labels) implements AutoCloseable {
    static Digits of(List<float[]> samples) {
        float[] pixels = new float[samples.size() * PIXELS];
        long[] labels = new long[samples.size()];
        for (int i = 0; i < labels.length; i++) {
            System.arraycopy(samples.get(i), 0, pixels, i * PIXELS, PIXELS);
            labels[i] = (long) samples.get(i)[PIXELS];
        }
        return new Digits(Tensor.create(pixels, labels.length, 1, SIDE, SIDE), Tensor.create(labels, labels.length));
    }

    @Override
    public void close() {
        images.close();
        labels.close();
    }
}

void main(String[] args) throws IOException {
    int epochs = number("epochs", 8, args), batchSize = number("batch", 64, args), seed = number("seed", 2, args);
    try (ProcessGroup group = ProcessGroup.init(); TrainingLog log = TrainingLog.of(group).withInterval(20)) {
        List<float[]> samples = readDigits(args);
        Collections.shuffle(samples, new Random(seed)); // the same on every rank
        List<float[]> test = samples.subList(0, TEST), train = samples.subList(TEST, samples.size());
        // in the last step of an epoch, which has fewer samples, every rank still gets some, as SyncBatchNorm
        // requires
        DistributedSampler sampler = DistributedSampler.of(train.size(), group).withShuffle(seed);

        manual_seed(seed + group.rank()); // dropout draws other numbers on each rank; parameters become rank 0's
        Network network = new Network(group);
        TorchModel model = TorchModel.of(network);
        Adam optimizer = new Adam(network.parameters(), new AdamOptions(3e-3));
        String directory = argument("checkpoints", "", args);
        @Nullable Checkpoints checkpoints = directory.isEmpty() ? null : Checkpoints.open(Path.of(directory));
        int done = checkpoints == null ? 0 : resume(checkpoints, group, network, optimizer, log), step = 0;

        try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
            ReplicaGuard guard = ReplicaGuard.of(group, 50);
            for (int epoch = 0; epoch < epochs; epoch++) {
                if (epoch < done) continue;
                network.train(true);
                try (BatchLoader<Digits> loader = BatchLoader.of(
                        sampler.withEpoch(epoch).globalBatches(batchSize), train::get, Digits::of)) {
                    for (BatchLoader.LoadedBatch<Digits> batch : loader) {
                        Digits mine = batch.data();
                        try (Step s = ddp.step(batch.batch().size())) {
                            optimizer.zero_grad();
                            Tensor loss = cross_entropy(network.forward(mine.images), mine.labels);
                            loss.backward();
                            s.sync();
                            optimizer.step();
                            log.recordStep(++step, batch.batch().size(), loss.item_float(), ddp.communicationStats());
                            guard.check(step, model);
                        }
                    }
                }
                if (checkpoints != null) {
                    Safetensors state = TorchState.of(network, optimizer, Map.of(), group);
                    if (group.rank() == 0) checkpoints.save(epoch + 1, state);
                }
            }
        }
        long right = group.sum(right(network, test, DistributedSampler.of(TEST, group).samples()));
        log.print("test accuracy: %.3f (%d of %d)".formatted((double) right / TEST, right, TEST));
    }
}

/// Restores the newest checkpoint and returns the number of epochs; 0 without a checkpoint.
static int resume(Checkpoints checkpoints, ProcessGroup group, Network network, Adam optimizer, TrainingLog log)
        throws IOException {
    try (Arena arena = Arena.ofConfined()) {
        Checkpoints.@Nullable LoadedCheckpoint newest = checkpoints.loadNewest(group, arena);
        if (newest == null) return 0;
        TorchState.restore(newest.state(), network, optimizer, group);
        log.print("resumed after epoch " + newest.step());
        return (int) newest.step();
    }
}

static long right(Network network, List<float[]> test, int[] samples) {
    if (samples.length == 0) return 0;
    network.eval(); // running means, no dropout
    try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
        Digits mine = Digits.of(Arrays.stream(samples).mapToObj(test::get).toList());
        Tensor seen = network.forward(mine.images).argmax(new LongOptional(1), false);
        return seen.eq(mine.labels).sum().item_long();
    }
}

/// A sample consists of the pixels, scaled to 0 … 1, followed by the digit.
List<float[]> readDigits(String[] args) throws IOException {
    Path file = findData(args);
    List<float[]> samples = new ArrayList<>();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file))))) {
        for (String line; (line = in.readLine()) != null; ) {
            String[] numbers = line.split(",");
            if (numbers.length != PIXELS + 1) {
                throw new IOException(file + ", line " + (samples.size() + 1) + ": " + numbers.length + " numbers, not 65");
            }
            float[] sample = new float[PIXELS + 1];
            for (int i = 0; i <= PIXELS; i++) sample[i] = Float.parseFloat(numbers[i]) / (i < PIXELS ? 16 : 1);
            samples.add(sample);
        }
    }
    if (samples.size() <= TEST) {
        throw new IOException(file + " has " + samples.size() + " samples; the test needs " + TEST);
    }
    return samples;
}

/// Returns data=FILE; otherwise examples/data/digits.csv.gz in the working directory, or in or above the
/// directory of this class.
Path findData(String[] args) throws IOException {
    String name = "data/digits.csv.gz", asked = argument("data", "", args);
    if (!asked.isEmpty()) return Path.of(asked);
    List<Path> places = new ArrayList<>(List.of(Path.of("examples", name), Path.of(name)));
    var source = getClass().getProtectionDomain().getCodeSource();
    if (source != null && source.getLocation() != null && "file".equals(source.getLocation().getProtocol())) {
        for (Path p = Path.of(source.getLocation().getPath()); p != null; p = p.getParent()) {
            places.add(p.resolve(name));
            places.add(p.resolve("examples").resolve(name));
        }
    }
    for (Path place : places) if (Files.isReadable(place)) return place;
    throw new FileNotFoundException("no examples/" + name + " in " + Path.of("").toAbsolutePath() + "; run from the root of"
            + " the project, or pass data=FILE");
}

static int number(String name, int otherwise, String[] args) {
    return Integer.parseInt(argument(name, Integer.toString(otherwise), args));
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
