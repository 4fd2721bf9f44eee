package org.tutti.train;

/// The learning rate of each step, counted from 0. The same on all ranks, because it depends on nothing else.
///
///     RateSchedule rates = RateSchedule.cosine(3e-4, 0, steps).withWarmup(500);
///     … LearningRate.set(optimizer, rates.at(step));          before optimizer.step()
///
/// @see <a href="https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate">PyTorch's
/// schedulers</a>
@FunctionalInterface
public interface RateSchedule {
    /// The rate of a step.
    double at(long step);

    /// Always the same.
    static RateSchedule constant(double rate) {
        return _ -> rate;
    }

    /// Falls from `from` to `to` along half a wave of the cosine, in so many steps, and stays there: PyTorch's
    /// `CosineAnnealingLR`.
    static RateSchedule cosine(double from, double to, long steps) {
        checkSteps(steps);
        return step -> to + (from - to) * (1 + Math.cos(Math.PI * Math.min(step, steps) / steps)) / 2;
    }

    /// Falls or rises from `from` to `to` by as much in each of so many steps, and stays there: `LinearLR`.
    static RateSchedule linear(double from, double to, long steps) {
        checkSteps(steps);
        return step -> from + (to - from) * Math.min(step, steps) / steps;
    }

    /// Is multiplied by `factor` after every so many steps: `StepLR`.
    static RateSchedule stepwise(double rate, double factor, long every) {
        checkSteps(every);
        return step -> rate * Math.pow(factor, Math.floorDiv(step, every));
    }

    /// This one, after so many steps in which the rate rises to what it begins with, by as much in each.
    default RateSchedule withWarmup(long steps) {
        checkSteps(steps);
        return step -> step < steps ? at(0) * (step + 1) / steps : at(step - steps);
    }

    private static void checkSteps(long steps) {
        if (steps < 1) throw new IllegalArgumentException("a schedule of " + steps + " steps");
    }
}
