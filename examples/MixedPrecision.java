/*
 * Trains a small network of libtorch on handwritten digits with 16-bit floats, in one of four ways:
 *
 *     way=autocast-bf16   products in BF16; parameters and gradients are F32
 *     way=autocast-fp16   products in F16; the loss is scaled because of small gradients; if gradients overflow on a
 *                         rank, all ranks skip the step
 *     way=bf16            parameters and gradients in BF16: half the memory
 *     way=half-buckets    all data in F32, but gradients are sent as BF16, in half the bytes
 *
 *     ./tutti run --with torch -n 2 examples/MixedPrecision.java way=autocast-fp16
 *
 *     test accuracy: 0.9… (… of 360), … steps left out
 *
 * Arguments: way=autocast-bf16 epochs=25 batch=64 seed=2 data=FILE
 */

import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.HalfPrecision;
import org.tutti.train.LossScaler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.model.DType;
import org.tutti.train.torch.Autocast;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int PIXELS = 64, TEST = 360;

enum Way {
    AUTOCAST_BF16, AUTOCAST_FP16, BF16, HALF_BUCKETS;

    static Way of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}

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
    Way way = Way.of(argument("way", "autocast-bf16", args));
    try (ProcessGroup group = ProcessGroup.init()) {
        List<float[]> samples = readDigits(args);
        Collections.shuffle(samples, new Random(seed)); // the same on every rank
        Digits test = tensors(samples.subList(0, TEST), way), train = tensors(samples.subList(TEST, samples.size()), way);
        DistributedSampler trainSampler = DistributedSampler.of(samples.size() - TEST, group).withShuffle(seed);

        manual_seed(seed);
        Network network = new Network();
        if (way == Way.BF16) network.to(ScalarType.BFloat16, false); // before TorchModel.of
        Options options = Options.DEFAULTS;
        if (way == Way.HALF_BUCKETS) options = options.withHook(new HalfPrecision(DType.BF16));
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(network), group, options);
        Adam optimizer = new Adam(network.parameters(), new AdamOptions(5e-3));
        LossScaler scaler = way == Way.AUTOCAST_FP16 ? LossScaler.defaults() : LossScaler.of(1, 0);

        int leftOut = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : trainSampler.withEpoch(epoch).globalBatches(batchSize)) {
                try (Step s = ddp.step(batch.size())) {
                    optimizer.zero_grad();
                    if (batch.size() > 0) {                     // in the last step a rank may have no samples
                        Tensor loss = loss(network, train.of(batch.samples()), way);
                        loss.mul(new Scalar(scaler.scale())).backward();
                    }
                    if (s.sync(scaler)) optimizer.step();       // false: a gradient has overflowed on some rank
                    else leftOut++;
                }
            }
        }
        long right = group.sum(right(network, test, DistributedSampler.of(TEST, group).samples()));
        if (group.rank() == 0) {
            IO.println("test accuracy: %.3f (%d of %d), %d steps left out"
                    .formatted((double) right / TEST, right, TEST, leftOut));
        }
    }
}

/// Autocast is for forward and the loss; backward uses the same types as forward.
static Tensor loss(Network network, Digits digits, Way way) {
    if (way == Way.BF16 || way == Way.HALF_BUCKETS) return cross_entropy(network.forward(digits.images), digits.labels);
    try (Autocast cast = Autocast.open(way == Way.AUTOCAST_FP16 ? DType.F16 : DType.BF16)) {
        return cross_entropy(network.forward(digits.images), digits.labels);
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

static Digits tensors(List<float[]> samples, Way way) {
    float[] pixels = new float[samples.size() * PIXELS];
    long[] labels = new long[samples.size()];
    for (int i = 0; i < labels.length; i++) {
        System.arraycopy(samples.get(i), 0, pixels, i * PIXELS, PIXELS);
        labels[i] = (long) samples.get(i)[PIXELS];
    }
    Tensor images = Tensor.create(pixels, labels.length, PIXELS);
    if (way == Way.BF16) images = images.to(ScalarType.BFloat16);
    return new Digits(images, Tensor.create(labels, labels.length));
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
