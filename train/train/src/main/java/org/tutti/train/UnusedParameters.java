package org.tutti.train;

import java.util.List;

/// Finds the parameters that no rank has used in a step.
final class UnusedParameters {
    private UnusedParameters() {}

    /// Returns for each of `count` parameters whether no rank has a gradient. All ranks call it.
    ///
    /// @param mine the parameters without a gradient on this rank
    static boolean[] onAllRanks(List<Integer> mine, int count, ProcessGroup group) {
        long[] here = new long[count];
        mine.forEach(i -> here[i] = 1);
        long[] all = group.allgather(here);
        boolean[] unused = new boolean[count];
        for (int i = 0; i < count; i++) {
            unused[i] = true;
            for (int r = 0; r < group.size(); r++) unused[i] &= all[r * count + i] == 1;
        }
        return unused;
    }
}
