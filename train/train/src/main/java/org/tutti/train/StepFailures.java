package org.tutti.train;

import java.util.ArrayList;
import java.util.List;
import org.tutti.train.model.DataParallelModel;

/// Failures of a step, with the same message on all ranks. All ranks call each method.
final class StepFailures {
    private final DataParallelModel model;
    private final ProcessGroup group;

    StepFailures(DataParallelModel model, ProcessGroup group) {
        this.model = model;
        this.group = group;
    }

    /// @param mine the parameters without a gradient on this rank
    TrainingException unused(long step, List<Integer> mine) {
        return new TrainingException("step " + step + ": backward has not reached " + textsOfAll(names(mine))
                + "; if this is intended, use Options.DEFAULTS.withFindUnusedParameters(true)");
    }

    /// @param mine the parameters with a non-finite gradient on this rank
    TrainingException notFinite(long step, List<Integer> mine) {
        return new TrainingException(
                "step " + step + ": not a finite number in the gradient of " + textsOfAll(names(mine)));
    }

    /// @param mine the names of the parameters for which this rank has discarded gradients
    TrainingException forgottenPartly(long step, String mine) {
        return new TrainingException("step " + step
                + ": after accumulate() the gradients of some but not all parameters were"
                + " discarded: " + textsOfAll(mine)
                + "; discard the gradients of all parameters, after the optimizer's step");
    }

    /// Throws unless all ranks have the same parameters. Parameters are still the same if all ranks have
    /// written the same values, for example clamped numbers.
    ///
    /// @param writers the ranks that have changed parameters before `sync`
    void checkReplicas(long step, String writers) {
        try {
            ReplicaGuard.of(group, 1).check(step, model.parameters());
        } catch (TrainingException e) {
            throw new TrainingException(
                    e.getMessage() + "; parameters were changed before sync() on " + writers
                            + ". Call the optimizer's step after sync(), and not in a step of accumulate()",
                    e);
        }
    }

    private String names(List<Integer> of) {
        return String.join(
                ", ", of.stream().map(i -> model.parameters().get(i).name()).toList());
    }

    /// Returns the nonempty strings of all ranks in one text, each with the rank.
    private String textsOfAll(String mine) {
        List<String> all = group.allgather(mine);
        List<String> parts = new ArrayList<>();
        for (int r = 0; r < all.size(); r++) if (!all.get(r).isEmpty()) parts.add(all.get(r) + " on rank " + r);
        return String.join("; ", parts);
    }
}
