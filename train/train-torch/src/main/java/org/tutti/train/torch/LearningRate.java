package org.tutti.train.torch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OptimizerOptions;
import org.bytedeco.pytorch.OptimizerParamGroup;
import org.bytedeco.pytorch.OptimizerParamGroupVector;

/// The learning rates of libtorch's optimizers; [org.tutti.train.RateSchedule] computes the rate of each step.
/// An optimizer has a rate for each parameter group, numbered from 0 in the order of addition.
///
///     LearningRate.set(optimizer, 0, rates.at(step));          // the head of a model
///     LearningRate.set(optimizer, 1, rates.at(step) / 10);     // the body
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
