package org.tutti.train;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorStorage;

/// The gradients that steps of `accumulate` have left in a model. Detects that the program has discarded these
/// gradients, for example with `zero_grad()`, so that the samples no longer count.
///
/// Gradients count as discarded if they are absent, or if all of the gradients are zero. Zeros are only checked
/// in CPU memory, because a check on a device would have to wait for the device.
final class AccumulatedGradients {
    /// The result of a check.
    enum State {
        KEPT,
        FORGOTTEN,
        PARTLY
    }

    private static final int NONE = -1, SMALLEST = 4;

    private final DataParallelModel model;

    /// Indices of the parameters, ordered by size, the smallest first; empty if zeros are not checked.
    private final int[] bySize;

    /// The parameters with a gradient.
    private final BitSet present = new BitSet();

    /// The two smallest parameters whose recorded gradient has a nonzero number; -1 if missing. [#check]
    /// reads the gradient of `first` or, if backward has just reached `first`, of `second`, before it reads all
    /// gradients.
    private int first = NONE, second = NONE;

    AccumulatedGradients(DataParallelModel model) {
        this.model = model;
        List<Tensor> all = model.parameters();
        boolean isOnCpu = all.stream().allMatch(t -> t.storage() instanceof TensorStorage.OnCpu);
        bySize = IntStream.range(0, isOnCpu ? all.size() : 0)
                .boxed()
                .sorted(Comparator.comparingLong(i -> all.get(i).spec().sizeBytes()))
                .mapToInt(i -> i)
                .toArray();
    }

    boolean isEmpty() {
        return present.isEmpty();
    }

    /// Records that backward has added to the gradient of parameter `i`.
    void reached(int i) {
        present.set(i);
    }

    /// Records the gradients at the end of a step of `accumulate`.
    void record() {
        clear();
        for (int i = 0; i < model.parameters().size(); i++) if (model.hasGradient(i)) present.set(i);
        for (int i : bySize) {
            if (!isNonZero(i)) continue;
            if (first == NONE) first = i;
            else second = i;
            if (second != NONE) break;
        }
    }

    /// Checks whether the recorded gradients still exist.
    ///
    /// @param reached the parameter whose gradient backward has just computed; -1 for none
    State check(int reached) {
        int there = 0, absent = 0;
        for (int i = present.nextSetBit(0); i >= 0; i = present.nextSetBit(i + 1)) {
            if (i == reached) continue;
            if (model.hasGradient(i)) there++;
            else absent++;
        }
        if (absent > 0) return there > 0 ? State.PARTLY : State.FORGOTTEN;
        int sample = first == reached ? second : first;
        if (sample == NONE || isNonZero(sample)) return State.KEPT;
        for (int i : bySize) if (i != reached && isNonZero(i)) return State.KEPT;
        return State.FORGOTTEN;
    }

    /// Returns the names of the parameters that had a gradient when it was recorded, and have none now.
    String absent() {
        List<String> names = new ArrayList<>();
        for (int i = present.nextSetBit(0); i >= 0; i = present.nextSetBit(i + 1)) {
            if (!model.hasGradient(i)) names.add(model.parameters().get(i).name());
        }
        return String.join(", ", names);
    }

    void clear() {
        present.clear();
        first = NONE;
        second = NONE;
    }

    /// Returns whether the gradients of the smallest parameters are absent or zero; true if zeros are not
    /// checked. Other parameters are not checked.
    boolean isClean() {
        for (int k = 0; k < Math.min(SMALLEST, bySize.length); k++) if (isNonZero(bySize[k])) return false;
        return true;
    }

    private boolean isNonZero(int i) {
        return model.hasGradient(i) && model.squaredNorm(i) != 0;
    }
}
