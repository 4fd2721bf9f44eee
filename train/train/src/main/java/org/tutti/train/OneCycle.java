package org.tutti.train;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;

/// PyTorch's `OneCycleLR`: the rate rises from `maxRate / divFactor` to `maxRate` and then falls far below the
/// first rate, while the momentum falls and rises. Defaults are PyTorch's. Immutable.
///
///     OneCycle cycle = OneCycle.of(0.1, epochs * stepsPerEpoch);
///     … LearningRate.set(optimizer, step, cycle);              rate and momentum, before optimizer.step()
///
/// @see <a href="https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html">PyTorch's
///     OneCycleLR</a>
public final class OneCycle implements RateSchedule {
    /// The shape of the curve between two rates.
    public enum Anneal {
        COS,
        LINEAR;

        private double between(double start, double end, double part) {
            return switch (this) {
                case COS -> end + (start - end) / 2 * (Math.cos(Math.PI * part) + 1);
                case LINEAR -> (end - start) * part + start;
            };
        }
    }

    private static final double PCT_START = 0.3, DIV_FACTOR = 25, FINAL_DIV_FACTOR = 1e4;
    private static final double BASE_MOMENTUM = 0.85, MAX_MOMENTUM = 0.95;

    /// The steps after the previous phase and up to `end`.
    private record Phase(double end, double fromRate, double toRate, double fromMomentum, double toMomentum) {}

    private final double maxRate;
    private final long totalSteps;
    private final double pctStart, divFactor, finalDivFactor;
    private final Anneal anneal;
    private final boolean hasThreePhases, hasMomentum;
    private final double baseMomentum, maxMomentum;
    private final List<Phase> phases = new ArrayList<>();

    private OneCycle(
            double maxRate,
            long totalSteps,
            double pctStart,
            double divFactor,
            double finalDivFactor,
            Anneal anneal,
            boolean hasThreePhases,
            boolean hasMomentum,
            double baseMomentum,
            double maxMomentum) {
        this.maxRate = maxRate;
        this.totalSteps = totalSteps;
        this.pctStart = pctStart;
        this.divFactor = divFactor;
        this.finalDivFactor = finalDivFactor;
        this.anneal = Objects.requireNonNull(anneal, "anneal");
        this.hasThreePhases = hasThreePhases;
        this.hasMomentum = hasMomentum;
        this.baseMomentum = baseMomentum;
        this.maxMomentum = maxMomentum;
        double first = maxRate / divFactor, last = first / finalDivFactor;
        double risen = pctStart * totalSteps - 1;
        phases.add(new Phase(risen, first, maxRate, maxMomentum, baseMomentum));
        if (hasThreePhases) {
            phases.add(new Phase(2 * pctStart * totalSteps - 2, maxRate, first, baseMomentum, maxMomentum));
            phases.add(new Phase(totalSteps - 1, first, last, maxMomentum, maxMomentum));
        } else {
            phases.add(new Phase(totalSteps - 1, maxRate, last, baseMomentum, maxMomentum));
        }
    }

    /// Returns a cycle of `totalSteps` steps; the rate rises to `maxRate` in the first 30 %.
    ///
    /// @throws IllegalArgumentException if the rate is negative or infinite, or `totalSteps` is less than 1
    public static OneCycle of(double maxRate, long totalSteps) {
        if (!(maxRate >= 0) || Double.isInfinite(maxRate)) {
            throw new IllegalArgumentException("OneCycle.of: maxRate=" + maxRate + " is not a learning rate");
        }
        if (totalSteps < 1) {
            throw new IllegalArgumentException(
                    "OneCycle.of: totalSteps=" + totalSteps + "; a cycle has at least one step");
        }
        return new OneCycle(
                maxRate,
                totalSteps,
                PCT_START,
                DIV_FACTOR,
                FINAL_DIV_FACTOR,
                Anneal.COS,
                false,
                true,
                BASE_MOMENTUM,
                MAX_MOMENTUM);
    }

    /// Returns a cycle in which the rate rises during this fraction of the steps; PyTorch's `pct_start`, 0.3 by
    /// default.
    ///
    /// @throws IllegalArgumentException if it is not between 0 and 1
    public OneCycle withPctStart(double fraction) {
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new IllegalArgumentException("withPctStart: " + fraction + " is not between 0 and 1");
        }
        return new OneCycle(
                maxRate,
                totalSteps,
                fraction,
                divFactor,
                finalDivFactor,
                anneal,
                hasThreePhases,
                hasMomentum,
                baseMomentum,
                maxMomentum);
    }

    /// Returns a cycle with this curve; PyTorch's `anneal_strategy`, a half cosine wave by default.
    public OneCycle withAnneal(Anneal curve) {
        return new OneCycle(
                maxRate,
                totalSteps,
                pctStart,
                divFactor,
                finalDivFactor,
                curve,
                hasThreePhases,
                hasMomentum,
                baseMomentum,
                maxMomentum);
    }

    /// Returns a cycle that starts with the rate `maxRate / factor`; PyTorch's `div_factor`, 25 by default.
    ///
    /// @throws IllegalArgumentException if it is not positive
    public OneCycle withDivFactor(double factor) {
        return new OneCycle(
                maxRate,
                totalSteps,
                pctStart,
                positive("withDivFactor", factor),
                finalDivFactor,
                anneal,
                hasThreePhases,
                hasMomentum,
                baseMomentum,
                maxMomentum);
    }

    /// Returns a cycle that ends with the first rate divided by `factor`; PyTorch's `final_div_factor`, 10,000
    /// by default.
    ///
    /// @throws IllegalArgumentException if it is not positive
    public OneCycle withFinalDivFactor(double factor) {
        return new OneCycle(
                maxRate,
                totalSteps,
                pctStart,
                divFactor,
                positive("withFinalDivFactor", factor),
                anneal,
                hasThreePhases,
                hasMomentum,
                baseMomentum,
                maxMomentum);
    }

    /// Returns a cycle with three phases: the rate rises, falls to the first rate in the same number of steps,
    /// and falls to the last rate in the remaining steps; PyTorch's `three_phase`.
    public OneCycle withThreePhases() {
        return new OneCycle(
                maxRate,
                totalSteps,
                pctStart,
                divFactor,
                finalDivFactor,
                anneal,
                true,
                hasMomentum,
                baseMomentum,
                maxMomentum);
    }

    /// Returns a cycle with a momentum between `base`, at the highest rate, and `max`; 0.85 and 0.95 by
    /// default.
    ///
    /// @throws IllegalArgumentException if one is not in [0, 1)
    public OneCycle withMomentum(double base, double max) {
        if (!(base >= 0 && base < 1 && max >= 0 && max < 1)) {
            throw new IllegalArgumentException(
                    "withMomentum: base=" + base + ", max=" + max + "; a momentum is at least 0 and less than 1");
        }
        return new OneCycle(
                maxRate, totalSteps, pctStart, divFactor, finalDivFactor, anneal, hasThreePhases, true, base, max);
    }

    /// Returns a cycle that does not change the momentum; PyTorch's `cycle_momentum=False`.
    public OneCycle withoutMomentum() {
        return new OneCycle(
                maxRate,
                totalSteps,
                pctStart,
                divFactor,
                finalDivFactor,
                anneal,
                hasThreePhases,
                false,
                baseMomentum,
                maxMomentum);
    }

    private static double positive(String call, double factor) {
        if (factor > 0 && factor < Double.POSITIVE_INFINITY) return factor;
        throw new IllegalArgumentException(call + ": a factor of " + factor + "; it must be positive");
    }

    /// Returns the rate of a step. `totalSteps`, the number after the last step, is allowed as well: PyTorch's
    /// scheduler computes this rate after the last step. With [Anneal#LINEAR], it may be negative, as in PyTorch.
    ///
    /// @throws IllegalArgumentException if the step is negative or later than `totalSteps`
    @Override
    public double at(long step) {
        int phase = phase(step);
        return anneal.between(phases.get(phase).fromRate, phases.get(phase).toRate, part(step, phase));
    }

    /// Returns the momentum of a step.
    ///
    /// @throws IllegalArgumentException as [#at]
    @Override
    public OptionalDouble momentumAt(long step) {
        int phase = phase(step);
        if (!hasMomentum) return OptionalDouble.empty();
        Phase of = phases.get(phase);
        return OptionalDouble.of(anneal.between(of.fromMomentum, of.toMomentum, part(step, phase)));
    }

    private int phase(long step) {
        if (step < 0 || step > totalSteps) {
            throw new IllegalArgumentException(
                    "OneCycle: step " + step + " of a cycle of " + totalSteps + " steps, which are numbered from 0");
        }
        int phase = 0;
        while (phase < phases.size() - 1 && step > phases.get(phase).end) phase++;
        return phase;
    }

    /// Returns the completed part of a phase. A phase of length zero is complete; PyTorch divides by zero for
    /// it.
    private double part(long step, int phase) {
        double begin = phase == 0 ? 0 : phases.get(phase - 1).end;
        double length = phases.get(phase).end - begin;
        return length == 0 ? 1 : (step - begin) / length;
    }
}
