/*
 * Trains a small recurrent network of libtorch to predict the next value of a series, data-parallel, and draws the
 * predictions.
 *
 * The series is two waves and some noise, the same on every rank. Each sample is a window of the series and the
 * next value. The network is trained on the first part of the series, and tested on the rest: each rank tests a
 * part of the rest, and one sum over the ranks collects errors and predictions.
 *
 *     ./tutti run --with torch -n 2 examples/TimeSeries.java plot=series.svg
 *
 *     step 10: loss …, … samples/s, communication … %
 *     …
 *     the mean squared error is 0.0…; with the last value as prediction, 0.0…; of the noise, 0.0100
 *     the plot is in series.svg
 *
 * Without "plot=" no plot is drawn; "epochs=" and "batch=" (over all ranks) are 12 and 64 by default.
 */

import java.nio.FloatBuffer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.*;
import org.bytedeco.pytorch.Module;
import org.tutti.chart.Axis;
import org.tutti.chart.Chart;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.log.TrainingLog;
import org.tutti.train.torch.TorchModel;

import static org.bytedeco.pytorch.global.torch.*;

static final int LENGTH = 1200, WINDOW = 24, TRAIN = 1000 - WINDOW, TEST = LENGTH - WINDOW - TRAIN, HIDDEN = 24;
static final double NOISE = 0.1;

static class Network extends Module {
    final GRUImpl memory = register_module("memory", new GRUImpl(1, HIDDEN));
    final LinearImpl next = register_module("next", new LinearImpl(HIDDEN, 1));

    /// @param windows one window in each row
    Tensor forward(Tensor windows) {
        Tensor byTime = windows.transpose(0, 1).unsqueeze(2);   // time, window, one value
        Tensor last = memory.forward(byTime).get1().squeeze(0); // the hidden state after the last value
        return next.forward(last).squeeze(1);
    }
}

void main(String[] args) throws IOException {
    int epochs = Integer.parseInt(argument("epochs", "12", args)), batchSize = Integer.parseInt(argument("batch", "64", args));
    String plot = argument("plot", "", args);
    try (ProcessGroup group = ProcessGroup.init(); TrainingLog log = TrainingLog.of(group).withInterval(10)) {
        float[] series = series();
        DistributedSampler sampler = DistributedSampler.of(TRAIN, group).withShuffle(1);

        manual_seed(1);
        Network network = new Network();
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(network), group);
        Adam optimizer = new Adam(network.parameters(), new AdamOptions(1e-2));

        int step = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(batchSize)) {
                try (Step s = ddp.step(batch.size())) {
                    float lossNow = 0;
                    optimizer.zero_grad();
                    if (batch.size() > 0) {
                        Tensor loss = mse_loss(network.forward(windows(series, batch.samples())), next(series, batch.samples()));
                        loss.backward();
                        lossNow = loss.item_float();
                    }
                    s.sync();
                    s.clipGradNorm(1);                                  // gradients of recurrent networks can explode
                    optimizer.step();
                    log.recordStep(++step, batch.size(), lossNow, ddp.communicationStats());
                }
            }
        }

        double[] predicted = group.sum(predict(network, series, DistributedSampler.of(TEST, group).samples()));
        double error = 0, naive = 0;
        for (int i = 0; i < TEST; i++) {
            double truth = series[TRAIN + i + WINDOW];
            error += (predicted[i] - truth) * (predicted[i] - truth) / TEST;
            naive += (series[TRAIN + i + WINDOW - 1] - truth) * (series[TRAIN + i + WINDOW - 1] - truth) / TEST;
        }
        log.print(("the mean squared error is %.4f; with the last value as prediction, %.4f;"
                + " of the noise, %.4f").formatted(error, naive, NOISE * NOISE));
        if (group.rank() == 0 && !plot.isEmpty()) {
            draw(series, predicted, group.size()).write(Path.of(plot));
            log.print("the plot is in " + plot);
        }
    }
}

static float[] series() {
    Random random = new Random(7);
    float[] series = new float[LENGTH];
    for (int t = 0; t < LENGTH; t++) {
        series[t] = (float) (Math.sin(t / 4.0) + 0.5 * Math.sin(t / 11.0) + NOISE * random.nextGaussian());
    }
    return series;
}

/// Returns the windows that begin at `starts`.
static Tensor windows(float[] series, int[] starts) {
    float[] rows = new float[starts.length * WINDOW];
    for (int i = 0; i < starts.length; i++) System.arraycopy(series, starts[i], rows, i * WINDOW, WINDOW);
    return Tensor.create(rows, starts.length, WINDOW);
}

/// Returns the value after each window.
static Tensor next(float[] series, int[] starts) {
    float[] values = new float[starts.length];
    for (int i = 0; i < starts.length; i++) values[i] = series[starts[i] + WINDOW];
    return Tensor.create(values, starts.length);
}

/// Predicts the value after each test window in `samples`, which are this rank's windows. Elements for the
/// windows of other ranks are zero.
static double[] predict(Network network, float[] series, int[] samples) {
    double[] all = new double[TEST];
    if (samples.length == 0) return all;
    try (PointerScope scope = new PointerScope(); NoGradGuard noGradients = new NoGradGuard()) {
        int[] starts = Arrays.stream(samples).map(i -> TRAIN + i).toArray();
        FloatBuffer predicted = network.forward(windows(series, starts)).contiguous().createBuffer();
        for (int i = 0; i < samples.length; i++) all[samples[i]] = predicted.get(i);
    }
    return all;
}

static Chart draw(float[] series, double[] predicted, int ranks) {
    List<double[]> truth = new ArrayList<>(), prediction = new ArrayList<>();
    for (int i = 0; i < TEST; i++) {
        int t = TRAIN + i + WINDOW;
        truth.add(new double[] {t, series[t]});
        prediction.add(new double[] {t, predicted[i]});
    }
    return new Chart("The next value of a series", "trained by " + ranks + " ranks on what was before",
            Axis.linear("time"), Axis.linear("value"),
            List.of(new Chart.Series("truth", truth), new Chart.Series("prediction", prediction)));
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
