package org.tutti.train;

import java.util.OptionalDouble;

/// The learning rate of each step, from step 0. It depends only on the step, so it is the same on all ranks,
/// and a resumed training continues with the correct rate. A rate that depends on results is a
/// [ReduceLROnPlateau].
///
///     RateSchedule rates = RateSchedule.cosine(3e-4, 0, steps).withWarmup(500);
///     … LearningRate.set(optimizer, step, rates);             before optimizer.step()
///
/// @see <a href="https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate">PyTorch's
///     schedulers</a>
@FunctionalInterface
public interface RateSchedule {
    /// Returns the rate of a step.
    ///
    /// @throws IllegalArgumentException if the step is negative; schedules that a program implements need not
    ///     check this
    double at(long step);

    /// Returns the momentum of a step, for optimizers with momentum; empty if the schedule does not change it.
    default OptionalDouble momentumAt(long step) {
        return OptionalDouble.empty();
    }

    /// Returns a constant schedule.
    static RateSchedule constant(double rate) {
        checkRates("constant", rate);
        return step -> {
            checked(step);
            return rate;
        };
    }

    /// Returns a schedule that falls from `from` to `to` along half a cosine wave in `steps` steps, and remains
    /// at `to`: PyTorch's `CosineAnnealingLR`.
    static RateSchedule cosine(double from, double to, long steps) {
        checkRates("cosine", from, to);
        checkSteps(steps);
        return step -> to + (from - to) * (1 + Math.cos(Math.PI * Math.min(checked(step), steps) / steps)) / 2;
    }

    /// Returns a schedule that changes linearly from `from` to `to` in `steps` steps, and remains at `to`:
    /// `LinearLR`.
    static RateSchedule linear(double from, double to, long steps) {
        checkRates("linear", from, to);
        checkSteps(steps);
        return step -> from + (to - from) * Math.min(checked(step), steps) / steps;
    }

    /// Returns a schedule that multiplies the rate by `factor` after every `every` steps: `StepLR`.
    static RateSchedule stepwise(double rate, double factor, long every) {
        checkRates("stepwise", rate, factor);
        checkSteps(every);
        return step -> {
            long times = checked(step) / every;
            return rate * Math.pow(factor, times);
        };
    }

    /// Returns this schedule, preceded by `steps` steps in which the rate rises linearly to the first rate of
    /// this schedule.
    default RateSchedule withWarmup(long steps) {
        checkSteps(steps);
        RateSchedule after = this;
        return new RateSchedule() {
            @Override
            public double at(long step) {
                return checked(step) < steps ? after.at(0) * (step + 1) / steps : after.at(step - steps);
            }

            @Override
            public OptionalDouble momentumAt(long step) {
                return after.momentumAt(Math.max(0, checked(step) - steps));
            }
        };
    }

    private static void checkSteps(long steps) {
        if (steps < 1) throw new IllegalArgumentException("a schedule of " + steps + " steps");
    }

    private static void checkRates(String call, double... values) {
        for (double value : values) {
            if (value >= 0 && value < Double.POSITIVE_INFINITY) continue;
            throw new IllegalArgumentException(
                    "RateSchedule." + call + ": " + value + "; rates and factors are finite and not negative");
        }
    }

    private static long checked(long step) {
        if (step < 0) throw new IllegalArgumentException("RateSchedule: step " + step + "; steps are numbered from 0");
        return step;
    }
}
