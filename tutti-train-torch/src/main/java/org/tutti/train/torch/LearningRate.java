package org.tutti.train.torch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.OptimizerParamGroupVector;

/// The learning rate of libtorch's optimizers, which [org.tutti.train.RateSchedule] has for each step.
public final class LearningRate {
    private LearningRate() {}

    /// Sets that of all its groups of parameters, before its step.
    public static void set(Optimizer optimizer, double rate) {
        if (!(rate >= 0)) throw new IllegalArgumentException("a learning rate of " + rate);
        try (PointerScope scope = new PointerScope()) {
            OptimizerParamGroupVector groups = optimizer.param_groups();
            for (long i = 0; i < groups.size(); i++) groups.get(i).options().set_lr(rate);
        }
    }

    /// That of the first group.
    public static double of(Optimizer optimizer) {
        try (PointerScope scope = new PointerScope()) {
            return optimizer.param_groups().get(0).options().get_lr();
        }
    }
}
