/*
 * Trains a small neural network on handwritten digits, data-parallel.
 *
 * All ranks have the same weights. Each rank computes the gradient of a part of every batch, one allreduce sums the
 * gradients, and all ranks make the same step. The result therefore does not depend on the number of ranks, up to
 * rounding.
 *
 *     ./tutti run -n 4 examples/DigitsTraining.java
 *
 *     epoch   5: loss 0.0…
 *     …
 *     test accuracy: 0.9… (… of 360)
 *     speed: … samples per second on … ranks
 *     communication: … % of … s
 *     weights: norm=…
 *
 * Options: --epochs N --batch N --hidden N --lr X --momentum X --seed N --data FILE --save FILE
 */

import static org.tutti.mpi.Buf.buf;

import java.util.zip.GZIPInputStream;
import org.tutti.mpi.*;

static final int PIXELS = 64, DIGITS = 10, TEST = 360;

int epochs = 30, batch = 64, hidden = 48;
long seed = 1;
double learningRate = 0.2, momentum = 0.9;
Path data;
Path save;

double secondsInAllreduce;

void main(String[] args) throws IOException {
    try (Mpi mpi = Mpi.init()) {
        readOptions(args);
        Comm world = mpi.world();
        int rank = world.rank(), size = world.size();

        double[][] samples = share(world, rank == 0 ? readDigits() : null);
        SplittableRandom random = new SplittableRandom(seed); // the same on every rank: the same split, batches and weights
        int[] order = new int[samples.length];
        for (int i = 0; i < order.length; i++) order[i] = i;
        shuffle(order, order.length, random);
        int train = order.length - TEST; // order[0 .. train) is for training, the rest for the test

        Network network = new Network(hidden, random);
        double[] weights = network.weights;
        double[] gradient = new double[weights.length + 1]; // the last element adds up the loss, in the same allreduce
        double[] velocity = new double[weights.length];
        Buf all = buf(gradient);

        double start = Mpi.wtime();
        for (int epoch = 1; epoch <= epochs; epoch++) {
            shuffle(order, train, random);
            double loss = 0;
            for (int first = 0; first < train; first += batch) {
                int count = Math.min(batch, train - first);
                Arrays.fill(gradient, 0);
                int end = first + part(count, rank + 1, size); // parts may differ by one sample, or be empty
                for (int i = first + part(count, rank, size); i < end; i++) {
                    network.addGradient(samples[order[i]], gradient);
                }
                double before = Mpi.wtime();
                world.allreduce(all, Op.SUM);
                secondsInAllreduce += Mpi.wtime() - before;
                for (int i = 0; i < weights.length; i++) {
                    velocity[i] = momentum * velocity[i] - learningRate * gradient[i] / count;
                    weights[i] += velocity[i];
                }
                loss += gradient[weights.length];
            }
            if (rank == 0 && (epoch % 5 == 0 || epoch == epochs)) {
                IO.println("epoch %3d: loss %.4f".formatted(epoch, loss / train));
            }
        }
        double seconds = Mpi.wtime() - start;

        int correct = 0;
        for (int i = train + part(TEST, rank, size); i < train + part(TEST, rank + 1, size); i++) {
            if (network.classify(samples[order[i]]) == label(samples[order[i]])) correct++;
        }
        correct = world.allreduce(correct, Op.SUM);

        if (rank == 0) {
            double squares = 0;
            for (double w : weights) squares += w * w;
            IO.println("test accuracy: %.3f (%d of %d)".formatted((double) correct / TEST, correct, TEST));
            IO.println("speed: %.0f samples per second on %d ranks".formatted(epochs * (double) train / seconds, size));
            IO.println("communication: %.1f %% of %.2f s".formatted(100 * secondsInAllreduce / seconds, seconds));
            IO.println("weights: norm=%.15g".formatted(Math.sqrt(squares)));
            if (save != null) {
                Files.write(save, Arrays.stream(weights).mapToObj(Double::toString).toList());
            }
        }
    }
}

/// One hidden layer of tanh, softmax on top. All weights are in one array, so that one call sums all gradients:
/// for each hidden unit a bias and 64 weights, then for each digit a bias and one weight per hidden unit.
static class Network {
    final int hidden, output; // output: where the second layer starts
    final double[] weights, h, p, dh;

    Network(int hidden, SplittableRandom random) {
        this.hidden = hidden;
        output = hidden * (PIXELS + 1);
        weights = new double[output + DIGITS * (hidden + 1)];
        h = new double[hidden];
        p = new double[DIGITS];
        dh = new double[hidden];
        for (int i = 0; i < weights.length; i++) {
            boolean bias = i < output ? i % (PIXELS + 1) == 0 : (i - output) % (hidden + 1) == 0;
            weights[i] = bias ? 0 : random.nextGaussian() / Math.sqrt(i < output ? PIXELS : hidden);
        }
    }

    /// Computes the hidden layer `h` and the probability `p` of each digit.
    void forward(double[] x) {
        for (int j = 0, w = 0; j < hidden; j++) {
            double sum = weights[w++];
            for (int i = 0; i < PIXELS; i++) sum += weights[w++] * x[i];
            h[j] = Math.tanh(sum);
        }
        double max = Double.NEGATIVE_INFINITY, total = 0;
        for (int k = 0, w = output; k < DIGITS; k++) {
            p[k] = weights[w++];
            for (int j = 0; j < hidden; j++) p[k] += weights[w++] * h[j];
            max = Math.max(max, p[k]);
        }
        for (int k = 0; k < DIGITS; k++) total += p[k] = Math.exp(p[k] - max);
        for (int k = 0; k < DIGITS; k++) p[k] /= total;
    }

    /// Adds the gradient of the cross entropy for one sample, and in the last element the cross entropy itself.
    void addGradient(double[] x, double[] gradient) {
        forward(x);
        Arrays.fill(dh, 0);
        for (int k = 0, w = output; k < DIGITS; k++) {
            double d = p[k] - (k == label(x) ? 1 : 0);
            gradient[w++] += d;
            for (int j = 0; j < hidden; j++, w++) {
                gradient[w] += d * h[j];
                dh[j] += d * weights[w];
            }
        }
        for (int j = 0, w = 0; j < hidden; j++) {
            double d = dh[j] * (1 - h[j] * h[j]);
            gradient[w++] += d;
            for (int i = 0; i < PIXELS; i++) gradient[w++] += d * x[i];
        }
        gradient[weights.length] -= Math.log(Math.max(p[label(x)], Double.MIN_NORMAL));
    }

    int classify(double[] x) {
        forward(x);
        int best = 0;
        for (int k = 1; k < DIGITS; k++) if (p[k] > p[best]) best = k;
        return best;
    }
}

/// A sample consists of the pixels, scaled to 0 … 1, followed by the digit.
static int label(double[] sample) {
    return (int) sample[PIXELS];
}

/// Divides `count` elements into `n` parts; returns the first element of part `i`.
static int part(int count, int i, int n) {
    return (int) ((long) count * i / n);
}

static void shuffle(int[] order, int count, SplittableRandom random) {
    for (int i = count - 1; i > 0; i--) {
        int j = random.nextInt(i + 1), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

/// Sends the samples that rank 0 has read to every rank.
static double[][] share(Comm world, double[][] read) {
    int[] count = {read == null ? 0 : read.length};
    world.bcast(buf(count), 0);
    double[][] samples = read == null ? new double[count[0]][PIXELS + 1] : read;
    world.bcast(buf(samples), 0);
    return samples;
}

double[][] readDigits() throws IOException {
    Path file = findData();
    List<double[]> samples = new ArrayList<>();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file))))) {
        for (String line; (line = in.readLine()) != null; ) {
            double[] sample = Arrays.stream(line.split(",")).mapToDouble(Double::parseDouble).toArray();
            if (sample.length != PIXELS + 1) {
                throw new IOException(file + ", line " + (samples.size() + 1) + ": " + sample.length + " numbers, not 65");
            }
            for (int i = 0; i < PIXELS; i++) sample[i] /= 16;
            samples.add(sample);
        }
    }
    if (samples.size() <= TEST) {
        throw new IOException(file + " has " + samples.size() + " samples; the test needs " + TEST);
    }
    return samples.toArray(new double[0][]);
}

/// Returns `--data FILE`; otherwise examples/data/digits.csv.gz in the working directory, or in or above the
/// directory of this class.
Path findData() throws IOException {
    if (data != null) return data;
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
            + " the project, or pass --data FILE");
}

void readOptions(String[] args) {
    for (int i = 0; i < args.length; i += 2) {
        if (i + 1 == args.length) throw new IllegalArgumentException("option " + args[i] + " needs a value");
        String value = args[i + 1];
        try {
            switch (args[i]) {
                case "--epochs" -> epochs = atLeastOne(args[i], value);
                case "--batch" -> batch = atLeastOne(args[i], value);
                case "--hidden" -> hidden = atLeastOne(args[i], value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--lr" -> learningRate = Double.parseDouble(value);
                case "--momentum" -> momentum = Double.parseDouble(value);
                case "--data" -> data = Path.of(value);
                case "--save" -> save = Path.of(value);
                default -> throw new IllegalArgumentException("unknown option " + args[i]
                        + "; there are --epochs --batch --hidden --lr --momentum --seed --data --save");
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(args[i] + " " + value + " is no number", e);
        }
    }
    if (!(learningRate > 0 && learningRate < 100)) throw new IllegalArgumentException("--lr " + learningRate + " is not in 0 … 100");
    if (!(momentum >= 0 && momentum < 1)) throw new IllegalArgumentException("--momentum " + momentum + " is not in 0 … 1");
}

static int atLeastOne(String option, String value) {
    int number = Integer.parseInt(value);
    if (number < 1) throw new IllegalArgumentException(option + " " + value + " is not at least 1");
    return number;
}
