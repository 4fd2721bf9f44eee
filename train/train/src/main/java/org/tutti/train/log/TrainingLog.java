package org.tutti.train.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.chart.Axis;
import org.tutti.chart.Chart;
import org.tutti.train.CommunicationStats;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;

/// The log of a training, for all ranks together: rank 0 prints lines
///
///     step 120: loss 0.0870, 12,300 samples/s, communication 8 %
///
/// and writes the same numbers to files. The loss is the mean over all samples of all ranks since the previous
/// line. Samples are counted over all ranks. Communication is the fraction of all ranks' time that was spent
/// waiting in `sync()`, for messages or for slower ranks.
///
///     try (TrainingLog log = TrainingLog.of(group).withInterval(10).withCsv(file).withPlot(picture)) {
///         …
///         log.recordStep(step, batch.size(), loss, ddp.communicationStats());
///         log.recordMetric(step, "test accuracy", accuracy);
///     }
///
/// All ranks, including ranks without samples, make the same calls of [#recordStep] and [#recordMetric]. Files
/// are opened by the first of these calls. An existing [#withCsv] file is continued from the step of that call,
/// so that a resumed training has one curve. If a file cannot be opened, the training fails on all ranks. If a
/// file cannot be written later, for example because the disk is full, it is abandoned with a line on stderr,
/// and the training continues.
public final class TrainingLog implements AutoCloseable {
    static final String LOSS = "loss", SPEED = "samples per second", COMMUNICATION = "communication share";
    private static final double NANOS = 1e9;

    private final ProcessGroup group;
    private final LongSupplier clock;
    private final ProgressLines progress;
    private int every = 10;
    private @Nullable Path csv, events, plot;
    private boolean isStarted;

    private final List<MetricSink> sinks = new ArrayList<>();
    private final List<double[]> losses = new ArrayList<>();

    private long beginNanos;

    /// This rank's samples since the last line.
    private long samples;

    private double lossSum;
    private long sinceNanos;

    /// The values of [CommunicationStats#exposedNanos()] at the last line and now.
    private long exposedBefore, exposedNow;

    private boolean hasStats;

    TrainingLog(ProcessGroup group, LongSupplier clock, ProgressLines progress) {
        this.group = group;
        this.clock = clock;
        this.progress = progress;
        sinceNanos = beginNanos = clock.getAsLong();
    }

    /// Returns a log that prints every 10 steps and writes no files.
    public static TrainingLog of(ProcessGroup group) {
        return new TrainingLog(group, System::nanoTime, ProgressLines.onStdout());
    }

    /// Returns a log that prints a line at each multiple of `steps`, with the figures since the previous line;
    /// steps after the last multiple are not printed. On a terminal each line replaces the previous one.
    /// Otherwise, including under `tutti run`, the log prints at most one line per second, and always the last
    /// line.
    public TrainingLog withInterval(int steps) {
        if (steps < 1) throw new IllegalArgumentException("a line every " + steps + " steps; it must be at least 1");
        beforeTheFirst();
        every = steps;
        return this;
    }

    /// Writes all numbers as rows `step,seconds,name,value`.
    public TrainingLog withCsv(Path file) {
        beforeTheFirst();
        csv = file;
        return this;
    }

    /// Writes all numbers as curves for TensorBoard, to a new file in `directory`.
    public TrainingLog withEvents(Path directory) {
        beforeTheFirst();
        events = directory;
        return this;
    }

    /// Draws the loss when this log is closed, to an SVG file, or to a PNG file if the name has this extension.
    public TrainingLog withPlot(Path file) {
        if (!Chart.canDraw(file)) {
            throw new IllegalArgumentException("plot " + file + ": give a name that ends in .svg or .png");
        }
        beforeTheFirst();
        plot = file;
        return this;
    }

    private void beforeTheFirst() {
        if (isStarted) throw new IllegalStateException("configure the log before the first step");
    }

    /// Adds a step without [CommunicationStats]; as [#recordStep(long, long, double, CommunicationStats)].
    ///
    /// @throws TrainingException if the ranks are not at the same step, or a file cannot be opened
    public void recordStep(long step, long ofSamples, double loss) {
        begin(step);
        samples += ofSamples;
        if (ofSamples > 0) lossSum += loss * ofSamples;
        if (step % every == 0) printStep(step);
    }

    /// Adds a step; all ranks call it, with the same number.
    ///
    /// @param ofSamples samples of this rank; if 0, the loss is not used
    /// @param loss the mean over these samples
    /// @param stats current value of [org.tutti.train.DistributedDataParallel#communicationStats]
    /// @throws TrainingException on all ranks, if the ranks are not at the same step, or a file cannot be
    ///     opened
    public void recordStep(long step, long ofSamples, double loss, CommunicationStats stats) {
        hasStats = true;
        exposedNow = stats.exposedNanos();
        recordStep(step, ofSamples, loss);
    }

    /// Prints and stores a number, for example the accuracy of a test. The number must be the same on all
    /// ranks; rank 0's value is used.
    ///
    /// @throws TrainingException on all ranks, if a file cannot be opened
    public void recordMetric(long step, String name, double value) {
        begin(step);
        if (group.rank() != 0) return;
        progress.print("step " + step + ": " + name + " " + number(value));
        keep(step, name, value);
    }

    /// Prints a line of the program once, without interfering with the progress lines.
    public void print(String line) {
        if (group.rank() == 0) progress.print(line);
    }

    private void begin(long step) {
        if (isStarted) return;
        isStarted = true;
        String problem = "";
        if (group.rank() == 0) {
            try {
                open(step);
            } catch (TrainingException e) {
                problem = String.valueOf(e.getMessage());
            }
        }
        problem = group.allgather(problem).getFirst();
        if (!problem.isEmpty()) throw new TrainingException(problem);
    }

    private void open(long step) {
        Path rows = csv, curves = events, picture = plot;
        if (rows != null) {
            CsvRows file = opening(rows, () -> CsvRows.from(rows, step));
            losses.addAll(file.before(LOSS));
            sinks.add(file);
        }
        if (curves != null) {
            EventFile file = opening(curves, () -> EventFile.open(curves));
            sinks.add(MetricSink.of(curves, file));
        }
        if (picture != null) opening(picture, () -> Files.createDirectories(parent(picture)));
    }

    private static Path parent(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file : parent;
    }

    @FunctionalInterface
    private interface Opening<T> {
        T open() throws IOException;
    }

    private static <T> T opening(Path file, Opening<T> how) {
        try {
            return how.open();
        } catch (IOException e) {
            throw new TrainingException(
                    "training log: " + file + " cannot be written: " + MetricSink.cause(e) + " (rank 0)", e);
        }
    }

    /// Combines the values of all ranks since the last line.
    private void printStep(long step) {
        long now = clock.getAsLong();
        long[] all = group.allgather(
                step,
                samples,
                Double.doubleToRawLongBits(lossSum),
                now - sinceNanos,
                exposedNow - exposedBefore,
                hasStats ? 1 : 0);
        int each = all.length / group.size();
        long count = 0, nanos = 0, exposed = 0;
        double loss = 0;
        boolean costs = true;
        for (int r = 0; r < group.size(); r++) {
            int at = r * each;
            if (all[at] != all[0]) {
                throw new TrainingException("training log: rank " + r + " is at step " + all[at]
                        + " and rank 0 at step " + all[0] + "; all ranks must log the same steps");
            }
            count += all[at + 1];
            loss += Double.longBitsToDouble(all[at + 2]);
            nanos += all[at + 3];
            exposed += all[at + 4];
            costs &= all[at + 5] == 1;
        }
        samples = 0;
        lossSum = 0;
        exposedBefore = exposedNow;
        sinceNanos = now;
        if (group.rank() != 0) return;
        double meanNanos = Math.max(1, (double) nanos / group.size());
        printStep(
                step,
                loss / count,
                count * NANOS / meanNanos,
                costs ? (double) exposed / Math.max(1, nanos) : Double.NaN);
    }

    private void printStep(long step, double loss, double speed, double share) {
        String line = "step " + step + ": loss " + number(loss) + ", "
                + String.format(Locale.ROOT, "%,d samples/s", rounded(speed));
        if (!Double.isNaN(share)) line += String.format(Locale.ROOT, ", communication %.0f %%", 100 * share);
        progress.show(line, clock.getAsLong());
        losses.add(new double[] {step, loss});
        keep(step, LOSS, loss);
        keep(step, SPEED, speed);
        if (!Double.isNaN(share)) keep(step, COMMUNICATION, share);
    }

    /// Rounds to three digits, because more digits of a speed are not reproducible.
    private static long rounded(double speed) {
        return new java.math.BigDecimal(speed)
                .round(new java.math.MathContext(3))
                .longValue();
    }

    private static String number(double value) {
        boolean small = Math.abs(value) < 0.001 && value != 0;
        return String.format(Locale.ROOT, small ? "%.2e" : "%.4f", value);
    }

    private void keep(long step, String name, double value) {
        double seconds = (clock.getAsLong() - beginNanos) / NANOS;
        sinks.removeIf(sink -> {
            try {
                sink.write(step, seconds, name, value);
                return false;
            } catch (IOException e) {
                giveUp(sink.file(), " is not written from step " + step + " on", e);
                sink.closeQuietly();
                return true;
            }
        });
    }

    private void giveUp(Path file, String problem, IOException why) {
        progress.warn(
                "training log: " + file + problem + ": " + MetricSink.cause(why) + " (rank 0); training continues");
    }

    /// Prints the last line and draws the plot. Local. Does not throw, even if the training has failed.
    @Override
    public void close() {
        progress.close();
        for (MetricSink sink : sinks) {
            try {
                sink.close();
            } catch (IOException e) {
                giveUp(sink.file(), " may be incomplete", e);
            }
        }
        sinks.clear();
        Path picture = plot;
        if (picture == null || losses.isEmpty()) return;
        plot = null;
        try {
            chart().write(picture);
        } catch (IOException e) {
            giveUp(picture, " was not drawn", e);
        }
    }

    private Chart chart() {
        double least = Double.POSITIVE_INFINITY, largest = 0;
        for (double[] point : losses) {
            if (!Double.isFinite(point[1])) continue;
            least = Math.min(least, point[1]);
            largest = Math.max(largest, point[1]);
        }
        boolean falls = least > 0 && largest > 20 * least; // otherwise small values would coincide with the frame
        String ranks = group.size() == 1 ? "1 rank" : group.size() + " ranks, " + group.backend();
        Axis up = falls ? Axis.logarithmic(LOSS) : Axis.linear(LOSS);
        return new Chart("Training", ranks, Axis.linear("step"), up, List.of(new Chart.Series(LOSS, losses)));
    }
}
