/*
 * Trains a small network of libtorch on handwritten digits, data-parallel, and logs the training.
 *
 * A step has 64 samples over all ranks, so the result does not depend on the number of ranks, up to rounding. Each
 * test sample is counted once, on one rank.
 *
 *     ./tutti run --with torch -n 2 examples/DigitsDdp.java
 *
 *     step 20: loss …, … samples/s, communication … %
 *     …
 *     step 575: test accuracy 0.9…
 *     test accuracy: 0.9… (… of 360)
 *
 * Arguments: epochs=25 batch=64 seed=2 csv=FILE plot=FILE events=DIRECTORY (for TensorBoard) data=FILE
 */

import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int PIXELS = 64, TEST = 360;

static class Network extends Module {
    final LinearImpl hidden = register_module("hidden", new LinearImpl(PIXELS, 96));
    final LinearImpl digits = register_module("digits", new LinearImpl(96, 10));

    Tensor forward(Tensor images) {
        return digits.forward(relu(hidden.forward(images)));
    }
}

/// Images and labels, as tensors.
record Digits(Tensor images, Tensor labels) {
    Digits of(int[] samples) {
        Tensor rows = Tensor.create(samples, samples.length);
        return new Digits(images.index_select(0, rows), labels.index_select(0, rows));
    }
}

void main(String[] args) throws IOException {
    int epochs = number("epochs", 25, args), batchSize = number("batch", 64, args), seed = number("seed", 2, args);
    try (ProcessGroup group = ProcessGroup.init(); TrainingLog log = log(group, args)) {
        List<float[]> samples = readDigits(args);
        Collections.shuffle(samples, new Random(seed)); // the same on every rank
        Digits test = tensors(samples.subList(0, TEST)), train = tensors(samples.subList(TEST, samples.size()));
        DistributedSampler trainSampler = DistributedSampler.of(samples.size() - TEST, group).withShuffle(seed);
        DistributedSampler testSampler = DistributedSampler.of(TEST, group);

        manual_seed(seed);
        Network network = new Network();
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(network), group);
        Adam optimizer = new Adam(network.parameters(), new AdamOptions(5e-3));

        int step = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : trainSampler.withEpoch(epoch).globalBatches(batchSize)) {
                try (Step s = ddp.step(batch.size())) {
                    float lossNow = 0;
                    optimizer.zero_grad();
                    if (batch.size() > 0) {                     // in the last step a rank may have no samples
                        Digits mine = train.of(batch.samples());
                        Tensor loss = cross_entropy(network.forward(mine.images), mine.labels);
                        loss.backward();
                        lossNow = loss.item_float();
                    }
                    s.sync();                                   // gradients are the mean of all samples now
                    optimizer.step();
                    log.recordStep(++step, batch.size(), lossNow, ddp.communicationStats());
                }
            }
        }
        long right = group.sum(right(network, test, testSampler.samples()));
        log.recordMetric(step, "test accuracy", (double) right / TEST);
        log.print("test accuracy: %.3f (%d of %d)".formatted((double) right / TEST, right, TEST));
    }
}

static long right(Network network, Digits test, int[] samples) {
    if (samples.length == 0) return 0;
    try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
        Digits mine = test.of(samples);
        Tensor seen = network.forward(mine.images).argmax(new LongOptional(1), false);
        return seen.eq(mine.labels).sum().item_long();
    }
}

static TrainingLog log(ProcessGroup group, String[] args) {
    TrainingLog log = TrainingLog.of(group).withInterval(20);
    if (!argument("csv", "", args).isEmpty()) log.withCsv(Path.of(argument("csv", "", args)));
    if (!argument("plot", "", args).isEmpty()) log.withPlot(Path.of(argument("plot", "", args)));
    if (!argument("events", "", args).isEmpty()) log.withEvents(Path.of(argument("events", "", args)));
    return log;
}

static Digits tensors(List<float[]> samples) {
    float[] pixels = new float[samples.size() * PIXELS];
    long[] labels = new long[samples.size()];
    for (int i = 0; i < labels.length; i++) {
        System.arraycopy(samples.get(i), 0, pixels, i * PIXELS, PIXELS);
        labels[i] = (long) samples.get(i)[PIXELS];
    }
    return new Digits(Tensor.create(pixels, labels.length, PIXELS), Tensor.create(labels, labels.length));
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
