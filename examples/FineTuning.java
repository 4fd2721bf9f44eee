/*
 * Fine-tunes a pretrained model for a new task, data-parallel: first a new head on a frozen body, then the whole
 * model.
 *
 * A network is trained on the digits 0 to 4 and saved as safetensors. A second network, for 5 to 9, loads the
 * convolutions but not the head: TorchModel.loadNonStrict returns the names missing in the file and the names
 * missing in the model. At first only the head is trained, on 150 samples; parameters without a gradient are not
 * sent. Then the body is unfrozen, which requires a new TorchModel and DistributedDataParallel, and the whole model
 * is trained with a tenth of the learning rate.
 *
 *     ./tutti run --with torch -n 2 examples/FineTuning.java
 *
 *     0 to 4: … of the test (… of 180), 29,989 numbers trained
 *     not in the file: [head5.weight, head5.bias]; not in the model: [head0.weight, head0.bias]
 *     5 to 9, only the head: 0.9… of the test (… of 180), 1,925 numbers trained, body unchanged: true
 *     5 to 9, head and body: 0.9… of the test (… of 180), 29,989 numbers trained, body unchanged: false
 *
 * Arguments: epochs=8 seed=2 model=FILE.safetensors (where to save it) data=FILE
 */

import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;

import static org.bytedeco.pytorch.global.torch.*;

static final int SIDE = 8, PIXELS = SIDE * SIDE, TEST = 360, FEW = 150;

/// Distinguishes five digits. The name of the head contains the first digit, so that a file's head for other
/// digits is not loaded.
static class Network extends Module {
    final Module body = register_module("body", new Module());
    final Conv2dImpl edges = body.register_module("edges", convolution(1, 32));
    final Conv2dImpl shapes = body.register_module("shapes", convolution(32, 96));
    final LinearImpl head;

    Network(int first) {
        head = register_module("head" + first, new LinearImpl(96 * 2 * 2, 5));
    }

    static Conv2dImpl convolution(long from, long to) {
        Conv2dOptions options = new Conv2dOptions(from, to, new LongPointer(new long[] {3, 3}));
        options.padding().put(new LongPointer(new long[] {1, 1}));
        return new Conv2dImpl(options);
    }

    Tensor forward(Tensor images) {
        Tensor x = max_pool2d(relu(edges.forward(images)), 2, 2);
        return head.forward(max_pool2d(relu(shapes.forward(x)), 2, 2).flatten(1, -1));
    }

    /// Freezes or unfreezes the body, for a TorchModel created afterwards.
    void trainBody(boolean isTrained) {
        TensorVector all = body.parameters();
        for (long i = 0; i < all.size(); i++) all.get(i).set_requires_grad(isTrained);
    }
}

/// Images, and labels as numbers from 0 to 4.
record Digits(Tensor images, Tensor labels) {
    static Digits of(List<float[]> samples, int first) {
        float[] pixels = new float[samples.size() * PIXELS];
        long[] labels = new long[samples.size()];
        for (int i = 0; i < labels.length; i++) {
            System.arraycopy(samples.get(i), 0, pixels, i * PIXELS, PIXELS);
            labels[i] = (long) samples.get(i)[PIXELS] - first;
        }
        return new Digits(Tensor.create(pixels, labels.length, 1, SIDE, SIDE), Tensor.create(labels, labels.length));
    }

    Digits of(int[] samples) {
        Tensor rows = Tensor.create(samples, samples.length);
        return new Digits(images.index_select(0, rows), labels.index_select(0, rows));
    }

    int size() {
        return (int) labels.size(0);
    }
}

void main(String[] args) throws IOException {
    int epochs = number("epochs", 8, args), seed = number("seed", 2, args);
    String asked = argument("model", "", args);
    try (ProcessGroup group = ProcessGroup.init()) {
        List<float[]> samples = readDigits(args);
        Collections.shuffle(samples, new Random(seed)); // the same on every rank
        List<float[]> test = samples.subList(0, TEST), train = samples.subList(TEST, samples.size());
        manual_seed(seed);

        Network first = new Network(0);
        Digits firstTest = Digits.of(from(0, test), 0);
        long numbers = train(first, Digits.of(from(0, train), 0), epochs, 3e-3, seed, group);
        print(group, "0 to 4: %s, %,d numbers trained".formatted(accuracy(first, firstTest, group), numbers));

        // only rank 0 has the file: DistributedDataParallel sends the loaded parameters to all ranks
        Network second = new Network(5);
        if (group.rank() == 0) {
            Path file = asked.isEmpty() ? Files.createTempFile("digits", ".safetensors") : Path.of(asked);
            try (FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                TorchState.of(first, null, Map.of("digits", "0 to 4")).write(to);
            }
            try (Arena arena = Arena.ofConfined()) {
                TorchModel.IncompatibleKeys loaded = TorchModel.of(second).loadNonStrict(ModelFiles.read(file, arena));
                IO.println("not in the file: " + loaded.missingKeys() + "; not in the model: " + loaded.unexpectedKeys());
            }
            if (asked.isEmpty()) Files.delete(file);
        }

        Digits few = Digits.of(from(5, train).subList(0, FEW), 5), all = Digits.of(from(5, train), 5);
        Digits secondTest = Digits.of(from(5, test), 5);
        Tensor was = second.shapes.weight().clone();
        second.trainBody(false);
        numbers = train(second, few, 5 * epochs, 1e-2, seed, group);
        print(group, "5 to 9, only the head: %s, %,d numbers trained, body unchanged: %b"
                .formatted(accuracy(second, secondTest, group), numbers, was.equal(second.shapes.weight())));

        second.trainBody(true);
        numbers = train(second, all, epochs, 3e-4, seed, group);
        print(group, "5 to 9, head and body: %s, %,d numbers trained, body unchanged: %b"
                .formatted(accuracy(second, secondTest, group), numbers, was.equal(second.shapes.weight())));
    }
}

/// Trains the parameters that require a gradient; returns the number of trained values.
static long train(Network network, Digits digits, int epochs, double rate, int seed, ProcessGroup group) {
    TorchModel model = TorchModel.of(network);
    try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
        Adam optimizer = new Adam(model.trainableParameters(), new AdamOptions(rate));
        DistributedSampler sampler = DistributedSampler.of(digits.size(), group).withShuffle(seed);
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(32)) {
                try (Step s = ddp.step(batch.size())) {
                    optimizer.zero_grad();
                    if (batch.size() > 0) {
                        Digits mine = digits.of(batch.samples());
                        cross_entropy(network.forward(mine.images), mine.labels).backward();
                    }
                    s.sync();
                    optimizer.step();
                }
            }
        }
    }
    TensorVector trained = model.trainableParameters();
    long numbers = 0;
    for (long i = 0; i < trained.size(); i++) numbers += trained.get(i).numel();
    return numbers;
}

static String accuracy(Network network, Digits test, ProcessGroup group) {
    int[] samples = DistributedSampler.of(test.size(), group).samples();
    long right = 0;
    try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
        if (samples.length > 0) {
            Digits mine = test.of(samples);
            Tensor seen = network.forward(mine.images).argmax(new LongOptional(1), false);
            right = seen.eq(mine.labels).sum().item_long();
        }
    }
    right = group.sum(right);
    return "%.3f of the test (%d of %d)".formatted((double) right / test.size(), right, test.size());
}

static void print(ProcessGroup group, String line) {
    if (group.rank() == 0) IO.println(line);
}

/// Returns the samples of the digit `first` and of the next four digits.
static List<float[]> from(int first, List<float[]> samples) {
    return samples.stream().filter(s -> s[PIXELS] >= first && s[PIXELS] < first + 5).toList();
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
