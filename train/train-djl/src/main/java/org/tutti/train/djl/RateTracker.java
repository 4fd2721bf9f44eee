package org.tutti.train.djl;

import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.training.tracker.Tracker;
import java.util.HashMap;
import java.util.Map;
import org.tutti.train.RateSchedule;

/// A [RateSchedule] as the learning rate of DJL's optimizers, with separate schedules for parts of the model.
/// The step of the schedule is the optimizer's number of updates, which [DjlState] saves and restores.
///
///     Optimizer.sgd().setLearningRateTracker(RateTracker.of(RateSchedule.cosine(0.1, 0, steps)).withBlock(body, slow))
///
/// For a [org.tutti.train.ReduceLROnPlateau]: `RateTracker.of(_ -> plateau.rates()[0])`.
public final class RateTracker implements Tracker {
    private final RateSchedule schedule;

    /// The separate schedules, by the identifier of the parameter.
    private final Map<String, RateSchedule> separate;

    private RateTracker(RateSchedule schedule, Map<String, RateSchedule> separate) {
        this.schedule = schedule;
        this.separate = separate;
    }

    /// Returns a tracker that follows a schedule.
    ///
    /// @throws IllegalArgumentException if the schedule has a momentum, which DJL's optimizers cannot change
    public static RateTracker of(RateSchedule schedule) {
        return new RateTracker(withoutMomentum(schedule), Map.of());
    }

    /// Returns a tracker with a separate schedule for the parameters of a block, including nested blocks: a
    /// parameter group. A later call overrides an earlier one.
    ///
    /// @throws IllegalArgumentException if the block has no parameters, or `other` has a momentum, which DJL's
    ///     optimizers cannot change
    public RateTracker withBlock(Block block, RateSchedule other) {
        Map<String, RateSchedule> all = new HashMap<>(separate);
        for (Parameter parameter : block.getParameters().values()) {
            all.put(parameter.getId(), withoutMomentum(other));
        }
        if (block.getParameters().isEmpty()) {
            throw new IllegalArgumentException("withBlock: the block has no parameters: " + block);
        }
        return new RateTracker(schedule, all);
    }

    private static RateSchedule withoutMomentum(RateSchedule schedule) {
        if (schedule.momentumAt(0).isEmpty()) return schedule;
        throw new IllegalArgumentException("RateTracker: the schedule has a momentum, and the momentum of DJL's"
                + " optimizers is constant; use OneCycle.withoutMomentum()");
    }

    /// @param numUpdate the number of the update, from 1
    @Override
    public float getNewValue(int numUpdate) {
        return (float) schedule.at(numUpdate - 1L);
    }

    @Override
    public float getNewValue(String parameterId, int numUpdate) {
        return (float) separate.getOrDefault(parameterId, schedule).at(numUpdate - 1L);
    }
}
