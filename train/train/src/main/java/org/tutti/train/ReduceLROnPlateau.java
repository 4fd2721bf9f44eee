package org.tutti.train;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// PyTorch's `ReduceLROnPlateau`: multiplies the learning rates by a factor when a metric, such as the loss of
/// a validation, has not improved for some epochs. Semantics and defaults are PyTorch's.
///
///     ReduceLROnPlateau plateau = ReduceLROnPlateau.of(group, Options.DEFAULTS.withPatience(3), 0.1, 0.01);
///     … LearningRate.set(optimizer, plateau.rates());          one rate for each parameter group
///     … plateau.step(loss, samples);                           after each validation
///
/// All ranks decide from one metric, so they have the same rates at all times. The state, [#state], is a single
/// string, for the metadata of a checkpoint.
///
/// @see <a
///     href="https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html">PyTorch's
///     ReduceLROnPlateau</a>
public final class ReduceLROnPlateau {
    /// Whether a smaller or a larger metric is better.
    public enum Mode {
        MIN,
        MAX
    }

    /// Whether the threshold of an improvement is relative to the best metric or absolute.
    public enum ThresholdMode {
        REL,
        ABS
    }

    /// Settings with PyTorch's names. Immutable.
    public static final class Options {
        /// PyTorch's defaults: factor 0.1, patience 10, smaller metrics are better, a relative threshold of
        /// 1e-4, no cooldown, no minimum rate; changes of a rate by 1e-8 or less are omitted.
        public static final Options DEFAULTS =
                new Options(Mode.MIN, 0.1, 10, 1e-4, ThresholdMode.REL, 0, new double[] {0}, 1e-8);

        private final Mode mode;
        private final double factor;
        private final int patience;
        private final double threshold;
        private final ThresholdMode thresholdMode;
        private final int cooldown;
        private final double[] minRates;
        private final double eps;

        private Options(
                Mode mode,
                double factor,
                int patience,
                double threshold,
                ThresholdMode thresholdMode,
                int cooldown,
                double[] minRates,
                double eps) {
            this.mode = Objects.requireNonNull(mode, "mode");
            this.factor = factor;
            this.patience = patience;
            this.threshold = threshold;
            this.thresholdMode = Objects.requireNonNull(thresholdMode, "thresholdMode");
            this.cooldown = cooldown;
            this.minRates = minRates;
            this.eps = eps;
        }

        public Options withMode(Mode better) {
            return new Options(better, factor, patience, threshold, thresholdMode, cooldown, minRates, eps);
        }

        /// Returns options with this factor for the rates.
        ///
        /// @throws IllegalArgumentException unless 0 <= factor < 1
        public Options withFactor(double less) {
            if (!(less >= 0 && less < 1)) {
                throw new IllegalArgumentException("withFactor: factor=" + less + "; it must be in [0, 1)");
            }
            return new Options(mode, less, patience, threshold, thresholdMode, cooldown, minRates, eps);
        }

        /// Returns options that tolerate this number of epochs without improvement: the rates are reduced in
        /// the next epoch without improvement.
        public Options withPatience(int epochs) {
            notNegative("withPatience", epochs);
            return new Options(mode, factor, epochs, threshold, thresholdMode, cooldown, minRates, eps);
        }

        /// Returns options with this threshold; an improvement must be larger than the threshold to count.
        public Options withThreshold(double difference) {
            notNegative("withThreshold", difference);
            return new Options(mode, factor, patience, difference, thresholdMode, cooldown, minRates, eps);
        }

        public Options withThresholdMode(ThresholdMode relative) {
            return new Options(mode, factor, patience, threshold, relative, cooldown, minRates, eps);
        }

        /// Returns options with this number of epochs after a reduction that do not count as epochs without
        /// improvement.
        public Options withCooldown(int epochs) {
            notNegative("withCooldown", epochs);
            return new Options(mode, factor, patience, threshold, thresholdMode, epochs, minRates, eps);
        }

        /// Returns options with a minimum of the rates: one value, or one for each parameter group; PyTorch's
        /// `min_lr`.
        public Options withMinRates(double... rates) {
            for (double rate : rates) notNegative("withMinRates", rate);
            return new Options(mode, factor, patience, threshold, thresholdMode, cooldown, rates.clone(), eps);
        }

        /// Returns options with which a rate stays the same if it would change by `change` or less.
        public Options withEps(double change) {
            notNegative("withEps", change);
            return new Options(mode, factor, patience, threshold, thresholdMode, cooldown, minRates, change);
        }

        private static void notNegative(String call, double value) {
            if (!(value >= 0)) throw new IllegalArgumentException(call + ": " + value + " is negative, or no number");
        }

        @Override
        public String toString() {
            return "mode=" + mode + " factor=" + factor + " patience=" + patience + " threshold=" + threshold
                    + " thresholdMode=" + thresholdMode + " cooldown=" + cooldown + " minRates=" + joined(minRates)
                    + " eps=" + eps;
        }
    }

    private final ProcessGroup group;
    private final Options options;
    private final double[] minRates;
    private final double[] rates;
    private double best;
    private int badEpochs;
    private int cooldownLeft;
    private long epochs;

    private ReduceLROnPlateau(ProcessGroup group, Options options, double[] rates) {
        this.group = group;
        this.options = options;
        this.rates = rates;
        minRates = new double[rates.length];
        for (int i = 0; i < rates.length; i++) minRates[i] = options.minRates[options.minRates.length == 1 ? 0 : i];
        best = options.mode == Mode.MIN ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }

    /// As [#of(ProcessGroup, Options, double...)], with the default options.
    ///
    /// @throws TrainingException as [#of(ProcessGroup, Options, double...)]
    public static ReduceLROnPlateau of(ProcessGroup group, double... rates) {
        return of(group, Options.DEFAULTS, rates);
    }

    /// Returns a schedule that begins with these rates. All ranks call it.
    ///
    /// @param rates one for each parameter group of the optimizer
    /// @throws TrainingException on all ranks, if options or rates differ between ranks
    /// @throws IllegalArgumentException if `rates` is empty, a rate is negative or not finite, or the number of
    ///     minimum rates differs from 1 and from the number of rates
    public static ReduceLROnPlateau of(ProcessGroup group, Options options, double... rates) {
        requireSame("of", group, options + " rates=" + joined(rates), "set the same on all ranks");
        if (rates.length == 0) throw new IllegalArgumentException("ReduceLROnPlateau.of: no learning rate");
        for (double rate : rates) {
            if (!(rate >= 0) || Double.isInfinite(rate)) {
                throw new IllegalArgumentException("ReduceLROnPlateau.of: a learning rate of " + rate);
            }
        }
        int minima = options.minRates.length;
        if (minima != 1 && minima != rates.length) {
            throw new IllegalArgumentException("ReduceLROnPlateau.of: " + minima + " minimum rates for " + rates.length
                    + " rates; pass one, or one for each rate");
        }
        return new ReduceLROnPlateau(group, options, rates.clone());
    }

    /// @throws TrainingException on all ranks, if the values of `text` differ
    private static void requireSame(String call, ProcessGroup group, String text, String solution) {
        List<String> all = group.allgather(text);
        for (int r = 1; r < all.size(); r++) {
            if (all.get(r).equals(all.getFirst())) continue;
            throw new TrainingException("ReduceLROnPlateau." + call + ": rank " + r + " has " + all.get(r)
                    + " and rank 0 " + all.getFirst() + "; " + solution);
        }
    }

    /// Ends an epoch with a metric that is already the same on all ranks, for example after
    /// [ProcessGroup#mean]. All ranks call it.
    ///
    /// @return whether a rate was reduced
    /// @throws TrainingException on all ranks, if the metrics differ between ranks, or if the restored states
    ///     differ; then the rates do not change
    public boolean step(double metric) {
        requireSame(
                "step",
                group,
                "metric=" + metric + " " + state(),
                "pass one metric on all ranks: step(metric, samples) computes the mean over all samples; and restore"
                        + " the same checkpoint");
        return decide(metric);
    }

    /// As [#step(double)], with the mean of the ranks' metrics, weighted by the samples. A rank may have none.
    ///
    /// @param metric a mean over this rank's samples, for example the loss of this rank's part of a validation
    /// @throws TrainingException on all ranks, if the restored states differ; then the rates do not change
    /// @throws IllegalArgumentException on all ranks, if the number of samples is negative on a rank, or zero
    ///     on all ranks
    public boolean step(double metric, long samples) {
        requireSame("step", group, state(), "restore the same checkpoint on all ranks");
        long[] all = group.allgather(Double.doubleToRawLongBits(metric), samples);
        double sum = 0, count = 0;
        for (int r = 0; r < group.size(); r++) {
            long there = all[2 * r + 1];
            if (there < 0) {
                throw new IllegalArgumentException("ReduceLROnPlateau.step: " + there + " samples on rank " + r);
            }
            if (there > 0) sum += Double.longBitsToDouble(all[2 * r]) * there; // without samples a mean is NaN
            count += there;
        }
        if (count == 0) throw new IllegalArgumentException("ReduceLROnPlateau.step: no rank has samples");
        return decide(sum / count);
    }

    private boolean decide(double metric) {
        epochs++;
        if (isBetter(metric)) {
            best = metric;
            badEpochs = 0;
        } else {
            badEpochs++;
        }
        if (cooldownLeft > 0) {
            cooldownLeft--;
            badEpochs = 0;
        }
        if (badEpochs <= options.patience) return false;
        boolean isReduced = false;
        for (int i = 0; i < rates.length; i++) {
            double reduced = Math.max(rates[i] * options.factor, minRates[i]);
            if (!(rates[i] - reduced > options.eps)) continue;
            rates[i] = reduced;
            isReduced = true;
        }
        cooldownLeft = options.cooldown;
        badEpochs = 0;
        return isReduced;
    }

    private boolean isBetter(double metric) {
        boolean isRelative = options.thresholdMode == ThresholdMode.REL;
        return switch (options.mode) {
            case MIN -> metric < (isRelative ? best * (1 - options.threshold) : best - options.threshold);
            case MAX -> metric > (isRelative ? best * (options.threshold + 1) : best + options.threshold);
        };
    }

    /// Returns the current rates, one for each parameter group.
    public double[] rates() {
        return rates.clone();
    }

    /// Returns the best metric so far; infinite before the first step with a finite metric.
    public double best() {
        return best;
    }

    /// Returns the state as a string, for the metadata of a checkpoint: `TorchState.of(net, optimizer,
    /// Map.of("plateau", plateau.state()), group)`.
    public String state() {
        return "epochs=" + epochs + " best=" + best + " badEpochs=" + badEpochs + " cooldown=" + cooldownLeft
                + " rates=" + joined(rates);
    }

    /// Restores the result of [#state] exactly. Options are not part of the state. Local; all ranks restore the
    /// same state.
    ///
    /// @param state from `newest.state().metadata().get("plateau")`; null if the checkpoint has none
    /// @throws TrainingException if the string is not a state, or has a different number of rates; then the
    ///     state does not change
    public void restore(@Nullable String state) {
        if (state == null) {
            throw new TrainingException("ReduceLROnPlateau.restore: the checkpoint has no such text; save"
                    + " Map.of(\"plateau\", plateau.state()) as metadata");
        }
        String[] fields = state.split(" ");
        try {
            double[] saved = Arrays.stream(value(fields, 4, "rates").split(","))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            if (saved.length != rates.length) {
                throw new TrainingException("ReduceLROnPlateau.restore: the checkpoint has " + saved.length
                        + " learning rates, and there are " + rates.length + " here: " + state);
            }
            long savedEpochs = Long.parseLong(value(fields, 0, "epochs"));
            double savedBest = Double.parseDouble(value(fields, 1, "best"));
            int savedBad = Integer.parseInt(value(fields, 2, "badEpochs"));
            int savedCooldown = Integer.parseInt(value(fields, 3, "cooldown"));
            boolean isState = savedEpochs >= 0 && savedBad >= 0 && savedCooldown >= 0 && !Double.isNaN(savedBest);
            for (double rate : saved) isState &= rate >= 0 && rate < Double.POSITIVE_INFINITY;
            if (!isState) throw new TrainingException("ReduceLROnPlateau.restore: not a state: " + state);
            cooldownLeft = savedCooldown;
            badEpochs = savedBad;
            best = savedBest;
            epochs = savedEpochs;
            System.arraycopy(saved, 0, rates, 0, rates.length);
        } catch (NumberFormatException e) {
            throw new TrainingException("ReduceLROnPlateau.restore: not a state: " + state, e);
        }
    }

    private static String value(String[] fields, int at, String name) {
        if (at < fields.length && fields[at].startsWith(name + "=")) return fields[at].substring(name.length() + 1);
        throw new NumberFormatException("no " + name);
    }

    private static String joined(double[] numbers) {
        StringJoiner text = new StringJoiner(",");
        for (double number : numbers) text.add(Double.toString(number));
        return text.toString();
    }
}
