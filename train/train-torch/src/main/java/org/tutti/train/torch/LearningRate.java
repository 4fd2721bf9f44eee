package org.tutti.train.torch;

import java.util.OptionalDouble;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OptimizerOptions;
import org.bytedeco.pytorch.OptimizerParamGroup;
import org.bytedeco.pytorch.OptimizerParamGroupVector;
import org.bytedeco.pytorch.RMSprop;
import org.bytedeco.pytorch.RMSpropOptions;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.tutti.train.RateSchedule;

/// The learning rates of libtorch's optimizers; a [RateSchedule] computes the rate of each step. An optimizer
/// has one rate per parameter group. Groups are numbered from 0, in the order in which the optimizer received
/// the groups.
///
///     LearningRate.set(optimizer, step, rates);                // one schedule for all groups
///     LearningRate.set(optimizer, step, head, body);           // one for each group
///     LearningRate.set(optimizer, plateau.rates());            // by results
public final class LearningRate {
    private LearningRate() {}

    /// Sets the same rate for all groups of parameters, before the optimizer's step.
    public static void set(Optimizer optimizer, double rate) {
        check(rate);
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = optimizer.param_groups();
            for (long g = 0; g < groups.size(); g++) groups.get(g).options().set_lr(rate);
        }
    }

    /// Sets the rate of a group of parameters, before the optimizer's step.
    ///
    /// @throws IndexOutOfBoundsException when the optimizer has no such group
    public static void set(Optimizer optimizer, int group, double rate) {
        check(rate);
        try (PointerScope scope = new PointerScope()) {
            group(optimizer, group, "LearningRate.set").options().set_lr(rate);
        }
    }

    /// Sets the rate of each group; call it before the optimizer's step. A [org.tutti.train.ReduceLROnPlateau],
    /// for example, returns such rates.
    ///
    /// @throws IllegalArgumentException unless the numbers of rates and groups are equal
    public static void set(Optimizer optimizer, double[] rates) {
        for (double rate : rates) check(rate);
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = optimizer.param_groups();
            checkCount(rates.length, groups.size(), "rates");
            for (int g = 0; g < rates.length; g++) groups.get(g).options().set_lr(rates[g]);
        }
    }

    /// Sets the rates of a step, before the optimizer's step. Pass one schedule for all groups, or a separate
    /// schedule for each group. A schedule with a momentum, [org.tutti.train.OneCycle], also sets the momentum
    /// of SGD and RMSprop, or the first beta of Adam and AdamW.
    ///
    /// @param step the number of the step, from 0
    /// @throws IllegalArgumentException unless the number of schedules is one or the number of groups; or if a
    ///     schedule has a momentum, and the optimizer has none
    public static void set(Optimizer optimizer, long step, RateSchedule... schedules) {
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = optimizer.param_groups();
            if (schedules.length != 1) checkCount(schedules.length, groups.size(), "schedules");
            for (int g = 0; g < groups.size(); g++) {
                RateSchedule schedule = schedules[schedules.length == 1 ? 0 : g];
                double rate = schedule.at(step);
                check(rate);
                OptimizerOptions options = groups.get(g).options();
                OptionalDouble momentum = schedule.momentumAt(step);
                if (momentum.isPresent()) setMomentum(optimizer, options, momentum.getAsDouble());
                options.set_lr(rate);
            }
        }
    }

    static void checkCount(long count, long groups, String kind) {
        if (count == groups) return;
        throw new IllegalArgumentException("LearningRate.set: " + count + " " + kind + " for an optimizer with "
                + groups + " groups of parameters");
    }

    private static void setMomentum(Optimizer optimizer, OptimizerOptions options, double momentum) {
        switch (optimizer) {
            case SGD _ -> new SGDOptions(options).momentum().put(momentum);
            case RMSprop _ -> new RMSpropOptions(options).momentum().put(momentum);
            case Adam _ -> new AdamOptions(options).betas().put(firstBeta(), momentum);
            case AdamW _ -> new AdamWOptions(options).betas().put(firstBeta(), momentum);
            default ->
                throw new IllegalArgumentException("LearningRate.set: the schedule has a momentum, and "
                        + optimizer.getClass().getSimpleName()
                        + " has none that can be set; use OneCycle.withoutMomentum()");
        }
    }

    /// Returns the index of the first beta. The order of a tuple in memory depends on the C++ library, and is
    /// reversed in libstdc++.
    private static long firstBeta() {
        DoublePointer defaults = new AdamOptions().betas();
        return defaults.get(0) < defaults.get(1) ? 0 : 1;
    }

    /// Multiplies the rates of all groups by `factor`, so that the ratios stay the same. To follow a schedule,
    /// pass `rates.at(step) / rates.at(step - 1)`.
    public static void scale(Optimizer optimizer, double factor) {
        if (!(factor >= 0) || Double.isInfinite(factor)) {
            throw new IllegalArgumentException("a factor of " + factor + " for learning rates");
        }
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = optimizer.param_groups();
            for (long g = 0; g < groups.size(); g++) {
                OptimizerOptions options = groups.get(g).options();
                options.set_lr(options.get_lr() * factor);
            }
        }
    }

    /// Returns the rate of the first group.
    public static double get(Optimizer optimizer) {
        return get(optimizer, 0);
    }

    /// Returns the rate of a group of parameters.
    ///
    /// @throws IndexOutOfBoundsException when the optimizer has no such group
    public static double get(Optimizer optimizer, int group) {
        try (PointerScope scope = new PointerScope()) {
            return group(optimizer, group, "LearningRate.get").options().get_lr();
        }
    }

    private static void check(double rate) {
        if (!(rate >= 0)) throw new IllegalArgumentException("a learning rate of " + rate);
    }

    private static OptimizerParamGroup group(Optimizer optimizer, int group, String call) {
        OptimizerParamGroupVector groups = optimizer.param_groups();
        if (group >= 0 && group < groups.size()) return groups.get(group);
        throw new IndexOutOfBoundsException(
                call + ": group " + group + " of an optimizer with " + groups.size() + " groups of parameters");
    }
}
