package org.tutti.job.environment;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/// Lists of ranks in the format `0,2-3`.
final class RankList {
    private RankList() {}

    /// An upper bound for ranks, above the number of processes of any machine, so that a typing error does not
    /// fill the heap.
    private static final int MOST = 1 << 24;

    static SortedSet<Integer> parse(String variable, String text) {
        SortedSet<Integer> ranks = new TreeSet<>();
        try {
            for (String part : text.split(",", -1)) {
                int dash = part.indexOf('-');
                int first = Integer.parseInt((dash < 0 ? part : part.substring(0, dash)).strip());
                int last = dash < 0
                        ? first
                        : Integer.parseInt(part.substring(dash + 1).strip());
                if (first < 0 || last < first || last >= MOST) throw new NumberFormatException(part);
                for (int rank = first; rank <= last; rank++) ranks.add(rank);
            }
        } catch (NumberFormatException e) {
            throw LauncherVariables.failure(variable + "=" + text + " is not a list of ranks like 0,2-3");
        }
        return Collections.unmodifiableSortedSet(ranks);
    }
}
