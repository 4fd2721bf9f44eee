/*
 * Trains a DJL model on handwritten digits, data-parallel.
 *
 * Only the group of ranks, the trainer and the sampler differ from an ordinary DJL program. A step has 64 samples
 * over all ranks, so the result does not depend on the number of ranks, up to rounding.
 *
 *     ./tutti run --with djl -n 2 examples/DigitsDjl.java
 *
 *     epoch   5: loss 0.…
 *     …
 *     test accuracy: 0.9… (… of 360)
 *
 * Options: --epochs N --batch N --hidden N --lr X --seed N --data FILE
 */

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.Batch;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import java.util.zip.GZIPInputStream;
import org.tutti.train.ProcessGroup;
import org.tutti.train.djl.*;

static final int PIXELS = 64, DIGITS = 10, TEST = 360;

int epochs = 30, batch = 64, hidden = 64, seed = 2;
float learningRate = 0.3f;
Path data;

void main(String[] args) throws Exception {
    readOptions(args);
    try (ProcessGroup group = ProcessGroup.init()) {
        Engine.getInstance().setRandomSeed(seed);
        try (Model model = Model.newInstance("digits"); NDManager manager = NDManager.newBaseManager()) {
            model.setBlock(new SequentialBlock()
                    .add(Linear.builder().setUnits(hidden).build())
                    .add(Activation::tanh)
                    .add(Linear.builder().setUnits(DIGITS).build()));
            List<float[]> samples = readDigits();
            Collections.shuffle(samples, new Random(seed)); // the same on every rank
            ArrayDataset train = dataset(manager, samples.subList(TEST, samples.size()),
                    DistributedBatches.ofGlobalSize(batch, group).withShuffle(seed));
            ArrayDataset test = dataset(manager, samples.subList(0, TEST), DistributedBatches.of(100, group));

            DefaultTrainingConfig config = new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
                    .optOptimizer(Optimizer.sgd()
                            .setLearningRateTracker(Tracker.fixed(learningRate))
                            .optMomentum(0.9f)
                            .build());
            try (DdpTrainer trainer = DdpTrainer.of(model, config, group)) {
                trainer.initialize(new Shape(1, PIXELS));
                for (int epoch = 1; epoch <= epochs; epoch++) {
                    double loss = group.sum(train(trainer, train))[0] / train.size();
                    if (group.rank() == 0 && (epoch % 5 == 0 || epoch == epochs)) {
                        IO.println("epoch %3d: loss %.4f".formatted(epoch, loss));
                    }
                }
                double[] right = trainer.evaluateSums(test, 1, (labels, predictions, sums) -> {
                    NDArray digits = predictions.head().argMax(1);
                    sums[0] += digits.eq(labels.head()).countNonzero().getLong();
                });
                if (group.rank() == 0) {
                    IO.println("test accuracy: %.3f (%.0f of %d)".formatted(right[0] / TEST, right[0], TEST));
                }
            }
        }
    }
}

/// Trains one epoch; returns the sum of the losses of this rank's samples.
static double train(DdpTrainer trainer, ArrayDataset samples) throws Exception {
    double sum = 0;
    for (Batch batch : trainer.iterateDataset(samples)) {
        try (GradientCollector collector = trainer.newGradientCollector()) {
            NDList predictions = trainer.forward(batch.getData());
            NDArray loss = trainer.getLoss().evaluate(batch.getLabels(), predictions);
            collector.backward(loss);
            sum += loss.getFloat() * batch.getSize();
        }
        trainer.step(); // the gradients are now the mean over all ranks
        batch.close();
    }
    return sum;
}

/// A sample consists of the pixels, scaled to 0 … 1, followed by the digit.
static ArrayDataset dataset(NDManager manager, List<float[]> samples, DistributedBatches batches) {
    float[] pixels = new float[samples.size() * PIXELS];
    long[] labels = new long[samples.size()];
    for (int i = 0; i < labels.length; i++) {
        System.arraycopy(samples.get(i), 0, pixels, i * PIXELS, PIXELS);
        labels[i] = (long) samples.get(i)[PIXELS];
    }
    return new ArrayDataset.Builder()
            .setData(manager.create(pixels, new Shape(labels.length, PIXELS)))
            .optLabels(manager.create(labels))
            .setSampling(batches)
            .build();
}

List<float[]> readDigits() throws IOException {
    Path file = findData();
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
        switch (args[i]) {
            case "--epochs" -> epochs = Integer.parseInt(value);
            case "--batch" -> batch = Integer.parseInt(value);
            case "--hidden" -> hidden = Integer.parseInt(value);
            case "--seed" -> seed = Integer.parseInt(value);
            case "--lr" -> learningRate = Float.parseFloat(value);
            case "--data" -> data = Path.of(value);
            default -> throw new IllegalArgumentException("unknown option " + args[i]
                    + "; there are --epochs --batch --hidden --lr --seed --data");
        }
    }
}
