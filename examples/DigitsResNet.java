/*
 * Trains a ResNet from Python on handwritten digits.
 *
 * The model is a file of torch.export with random weights, written by examples/data/models.py. It returns scores;
 * this program computes the loss. train(true) and eval() switch batch norm.
 *
 *     ./tutti run --with torch -n 2 examples/DigitsResNet.java examples/data/
 *
 *     step 20: loss …
 *     …
 *     test accuracy: 0.9… (… of 360)
 *
 * Arguments: the directory of the data, epochs=6
 */

import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.graph.GraphModel;

import static org.bytedeco.pytorch.global.torch.cross_entropy;

static final int SIDE = 8, PIXELS = SIDE * SIDE, TEST = 360;

void main(String[] args) throws IOException {
    Path data = Path.of(args.length == 0 ? "examples/data" : args[0]);
    int epochs = args.length > 1 ? Integer.parseInt(args[1].replace("epochs=", "")) : 6;
    try (ProcessGroup group = ProcessGroup.init(); TrainingLog log = TrainingLog.of(group).withInterval(20)) {
        List<float[]> samples = readDigits(data);
        Collections.shuffle(samples, new Random(2));                    // the same order on every rank
        List<float[]> test = samples.subList(0, TEST), train = samples.subList(TEST, samples.size());

        GraphModel net = GraphModel.read(data.resolve("digits-resnet.pt2"));
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        Adam optimizer = new Adam(net.parameters(), new AdamOptions(3e-3));
        int step = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : DistributedSampler.of(train.size(), group).withShuffle(2).withEpoch(epoch).globalBatches(64)) {
                try (Step s = ddp.step(batch.size())) {
                    optimizer.zero_grad();
                    double loss = 0;
                    if (batch.size() > 0) {
                        List<float[]> mine = Arrays.stream(batch.samples()).mapToObj(train::get).toList();
                        Tensor mean = cross_entropy(net.run(images(mine)).get(0), labels(mine));
                        mean.backward();
                        loss = mean.item_double();
                    }
                    s.sync();
                    optimizer.step();
                    log.recordStep(++step, batch.size(), loss, ddp.communicationStats());
                }
            }
        }

        net.eval();                                                     // batch norm uses the running means
        List<float[]> mine = Arrays.stream(DistributedSampler.of(TEST, group).samples()).mapToObj(test::get).toList();
        double right = 0;
        try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
            if (!mine.isEmpty()) right = net.run(images(mine)).get(0).argmax(new LongOptional(1), false).eq(labels(mine)).sum().item_double();
        }
        right = group.sum(right)[0];
        log.print("test accuracy: %.3f (%.0f of %d)".formatted(right / TEST, right, TEST));
    }
}

static Tensor images(List<float[]> samples) {
    float[] pixels = new float[samples.size() * PIXELS];
    for (int i = 0; i < samples.size(); i++) System.arraycopy(samples.get(i), 0, pixels, i * PIXELS, PIXELS);
    return Tensor.create(pixels, samples.size(), 1, SIDE, SIDE);
}

static Tensor labels(List<float[]> samples) {
    long[] digits = new long[samples.size()];
    for (int i = 0; i < digits.length; i++) digits[i] = (long) samples.get(i)[PIXELS];
    return Tensor.create(digits, digits.length);
}

/// A sample consists of the pixels, 0 to 1, followed by the digit.
static List<float[]> readDigits(Path data) throws IOException {
    List<float[]> samples = new ArrayList<>();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(data.resolve("digits.csv.gz")))))) {
        for (String line; (line = in.readLine()) != null; ) {
            String[] numbers = line.split(",");
            float[] sample = new float[PIXELS + 1];
            for (int i = 0; i < PIXELS; i++) sample[i] = Float.parseFloat(numbers[i]) / 16;
            sample[PIXELS] = Float.parseFloat(numbers[PIXELS]);
            samples.add(sample);
        }
    }
    return samples;
}
