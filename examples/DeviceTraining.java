/*
 * Trains a small network on handwritten digits, data-parallel, entirely on devices.
 *
 * Parameters, gradients and samples are stored in the memory of each rank's device. Kernels compute the gradients,
 * and DistributedDataParallel averages the gradients: by NCCL or RCCL if each rank has a separate GPU, otherwise
 * through the host. TUTTI_DEVICE selects a device; by default any available device is used.
 *
 *     ./tutti run -n 4 examples/DeviceTraining.java
 *
 *     epoch  1: loss 1.…
 *     …
 *     epoch 10: loss 0.1…
 *     test accuracy: 0.96… (… of 360)
 */

import java.util.zip.GZIPInputStream;
import org.tutti.device.*;
import org.tutti.device.ElementwiseOp.Unary;
import org.tutti.mpi.Datatype;
import org.tutti.train.*;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.device.*;

static final int PIXELS = 64, INPUTS = PIXELS + 1, HIDDEN = 32, DIGITS = 10, TEST = 360, BATCH = 64, EPOCHS = 10;
static final double RATE = 0.5;

static final String SOURCE = """
        extern "C" __global__ void gather(int n, int width, const int* rows, const float* from, float* to) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n * width) to[i] = from[rows[i / width] * width + i % width];
        }
        /* Replaces the scores of each class by the errors, times 1 / n; stores the cross entropy of each row. */
        extern "C" __global__ void errors(int n, int classes, const float* labels, float* scores, float* losses) {
            int r = blockIdx.x * blockDim.x + threadIdx.x;
            if (r >= n) return;
            float* row = scores + r * classes;
            float most = row[0], sum = 0;
            for (int c = 1; c < classes; c++) most = row[c] > most ? row[c] : most;
            for (int c = 0; c < classes; c++) sum += expf(row[c] - most);
            losses[r] = logf(sum) + most - row[(int) labels[r]];
            for (int c = 0; c < classes; c++)
                row[c] = (expf(row[c] - most) / sum - (c == (int) labels[r] ? 1.0f : 0.0f)) / n;
        }
        """;

/// The host version.
static void gather(HostThread thread, HostArguments a) {
    int i = thread.x(), width = a.intValue(1);
    if (i < a.intValue(0) * width) a.set(4, i, a.getFloat(3, (long) a.getInt(2, i / width) * width + i % width));
}

static void errors(HostThread thread, HostArguments a) {
    int r = thread.x(), classes = a.intValue(1), n = a.intValue(0), at = r * classes;
    if (r >= n) return;
    int label = (int) a.getFloat(2, r);
    float most = Float.NEGATIVE_INFINITY, sum = 0;
    for (int c = 0; c < classes; c++) most = Math.max(most, a.getFloat(3, at + c));
    for (int c = 0; c < classes; c++) sum += (float) Math.exp(a.getFloat(3, at + c) - most);
    a.set(4, r, (float) Math.log(sum) + most - a.getFloat(3, at + label));
    for (int c = 0; c < classes; c++) {
        a.set(3, at + c, ((float) Math.exp(a.getFloat(3, at + c) - most) / sum - (c == label ? 1 : 0)) / n);
    }
}

/// Two layers with tanh between the layers. The buffers for samples hold at most `most` samples, the largest
/// number that a rank has in one step.
static class Network {
    final Device device;
    final ArrayKernels arrays;
    final Kernel gather, errors;
    final DeviceModel model;
    final int hidden, digits;
    final DeviceBuffer rows, x, labels, h, scores, losses, back, squares, turned, weightsTurned, forHidden, forDigits;

    Network(Device device, int most) {
        this.device = device;
        arrays = device.arrays();
        gather = device.kernel("gather", SOURCE, (thread, a) -> gather(thread, a));
        errors = device.kernel("errors", SOURCE, (thread, a) -> errors(thread, a));
        model = DeviceModel.of(device);
        hidden = model.add("hidden.weight", initial(INPUTS * HIDDEN, 0), INPUTS, HIDDEN);
        digits = model.add("digits.weight", initial(HIDDEN * DIGITS, INPUTS * HIDDEN), HIDDEN, DIGITS);
        rows = device.zeros(Datatype.INT, most);
        x = floats(most * INPUTS);
        labels = floats(most);
        h = floats(most * HIDDEN);
        scores = floats(most * DIGITS);
        losses = floats(most);
        back = floats(most * HIDDEN);
        squares = floats(most * HIDDEN);
        turned = floats(most * INPUTS);
        weightsTurned = floats(HIDDEN * DIGITS);
        forHidden = floats(INPUTS * HIDDEN);
        forDigits = floats(HIDDEN * DIGITS);
    }

    private DeviceBuffer floats(int count) {
        return device.zeros(Datatype.FLOAT, count);
    }

    private DeviceBuffer initial(int count, int first) {
        DeviceBuffer weights = floats(count);
        arrays.normal(weights, 7, first);
        arrays.scale(0.15, weights);
        return weights;
    }

    /// Computes the scores of these samples.
    void forward(Digits of, int... samples) {
        int n = samples.length;
        rows.slice(0, n).copyFrom(samples);
        gather.launch(Dim.blocks(n * INPUTS, 128), Dim.of(128), n, INPUTS, rows, of.images, x);
        gather.launch(Dim.blocks(n, 128), Dim.of(128), n, 1, rows, of.labels, labels);
        arrays.matmul(n, HIDDEN, INPUTS, x.slice(0, n * INPUTS), model.parameter(hidden), h.slice(0, n * HIDDEN));
        arrays.apply(Unary.TANH, h, h);
        arrays.matmul(n, DIGITS, HIDDEN, h.slice(0, n * HIDDEN), model.parameter(digits), scores.slice(0, n * DIGITS));
    }

    /// Adds the gradients of the mean loss; returns the sum of the losses. A gradient is averaged as soon as it
    /// is ready.
    double backward(int n) {
        DeviceBuffer errs = scores.slice(0, n * DIGITS), mine = h.slice(0, n * HIDDEN), d = back.slice(0, n * HIDDEN);
        errors.launch(Dim.blocks(n, 128), Dim.of(128), n, DIGITS, labels, scores, losses);
        arrays.transpose(n, HIDDEN, mine, turned.slice(0, n * HIDDEN));
        arrays.matmul(HIDDEN, DIGITS, n, turned.slice(0, n * HIDDEN), errs, forDigits);
        arrays.add(model.gradient(digits), forDigits, model.gradient(digits));
        model.markReady(digits);

        arrays.transpose(HIDDEN, DIGITS, model.parameter(digits), weightsTurned);
        arrays.matmul(n, HIDDEN, DIGITS, errs, weightsTurned, d);
        arrays.apply(Unary.SQUARE, h, squares);
        arrays.multiply(back, squares, squares);
        arrays.subtract(back, squares, back); // times 1 - h², the derivative of tanh
        arrays.transpose(n, INPUTS, x.slice(0, n * INPUTS), turned.slice(0, n * INPUTS));
        arrays.matmul(INPUTS, HIDDEN, n, turned.slice(0, n * INPUTS), d, forHidden);
        arrays.add(model.gradient(hidden), forHidden, model.gradient(hidden));
        model.markReady(hidden);
        return arrays.sum(losses.slice(0, n));
    }
}

/// Images and labels, on the device. Each image is followed by a 1, by which the bias is multiplied.
record Digits(DeviceBuffer images, DeviceBuffer labels) {
    static Digits on(Device device, List<float[]> samples) {
        float[] images = new float[samples.size() * INPUTS], labels = new float[samples.size()];
        for (int i = 0; i < labels.length; i++) {
            System.arraycopy(samples.get(i), 0, images, i * INPUTS, PIXELS);
            images[i * INPUTS + PIXELS] = 1;
            labels[i] = samples.get(i)[PIXELS];
        }
        return new Digits(device.of(images), device.of(labels));
    }
}

void main() throws IOException {
    try (DeviceGroup group = DeviceGroup.init()) {
        List<float[]> samples = readDigits();
        Collections.shuffle(samples, new Random(2)); // the same on every rank
        Digits test = Digits.on(group.device(), samples.subList(0, TEST));
        Digits train = Digits.on(group.device(), samples.subList(TEST, samples.size()));
        int[] tests = DistributedSampler.of(TEST, group).samples();
        Network network = new Network(group.device(), Math.max(BATCH, tests.length));
        DistributedDataParallel ddp = DistributedDataParallel.of(network.model, group);
        DistributedSampler sampler = DistributedSampler.of(samples.size() - TEST, group).withShuffle(2);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            double loss = 0;
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(BATCH)) {
                network.model.zeroGrad();
                try (Step step = ddp.step(batch.size())) {
                    if (batch.size() > 0) {                     // in the last step a rank may have no samples
                        network.forward(train, batch.samples());
                        loss += network.backward(batch.size());
                    }
                    step.sync();                                // gradients are the mean of all samples now
                    network.model.sgdStep(RATE);
                }
            }
            double all = group.sum(loss)[0] / (samples.size() - TEST);
            if (group.rank() == 0) IO.println("epoch %2d: loss %.3f".formatted(epoch + 1, all));
        }

        network.forward(test, tests);
        float[] scores = network.scores.toFloats(), labels = network.labels.toFloats();
        long right = 0;
        for (int i = 0; i < tests.length; i++) {
            int best = 0;
            for (int c = 1; c < DIGITS; c++) if (scores[i * DIGITS + c] > scores[i * DIGITS + best]) best = c;
            if (best == (int) labels[i]) right++;
        }
        right = group.sum(right);
        if (group.rank() == 0) {
            IO.println("test accuracy: %.3f (%d of %d)".formatted((double) right / TEST, right, TEST));
        }
    }
}

/// A sample consists of the pixels, scaled to 0 … 1, followed by the digit.
List<float[]> readDigits() throws IOException {
    List<float[]> samples = new ArrayList<>();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(findData()))))) {
        for (String line; (line = in.readLine()) != null; ) {
            String[] numbers = line.split(",");
            float[] sample = new float[PIXELS + 1];
            for (int i = 0; i <= PIXELS; i++) sample[i] = Float.parseFloat(numbers[i]) / (i < PIXELS ? 16 : 1);
            samples.add(sample);
        }
    }
    return samples;
}

/// Returns examples/data/digits.csv.gz in the working directory, or in or above the directory of this class.
Path findData() throws IOException {
    String name = "data/digits.csv.gz";
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
            + " the project");
}
