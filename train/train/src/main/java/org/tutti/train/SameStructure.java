package org.tutti.train;

import java.util.ArrayList;
import java.util.List;
import org.tutti.train.model.DataParallelModel;

/// Checks that all ranks have the same trained, frozen and buffer tensors: names, types, shapes and order.
final class SameStructure {
    private SameStructure() {}

    /// @throws TrainingException on all ranks, if a rank differs from rank 0
    static void check(DataParallelModel mine, ProcessGroup group) {
        List<String> all = new ArrayList<>();
        mine.parameters().forEach(t -> all.add("parameter " + t.spec()));
        mine.frozen().forEach(t -> all.add("frozen parameter " + t.spec()));
        mine.buffers().forEach(t -> all.add("buffer " + t.spec()));
        List<String> lists = group.allgather(String.join("\n", all));
        List<String> first = lines(lists.getFirst());
        List<String> problems = new ArrayList<>();
        for (int r = 1; r < lists.size(); r++) {
            List<String> there = lines(lists.get(r));
            if (!there.equals(first)) problems.add("rank " + r + " has " + difference(there, first));
        }
        if (problems.isEmpty()) return;
        throw new TrainingException("the ranks' models differ: " + String.join("; ", problems)
                + ". All must build the same model in the same order");
    }

    private static List<String> lines(String list) {
        return list.isEmpty() ? List.of() : list.lines().toList();
    }

    private static String difference(List<String> there, List<String> first) {
        int at = 0;
        while (at < there.size() && at < first.size() && there.get(at).equals(first.get(at))) at++;
        return there.size() + " tensors and rank 0 " + first.size() + ", the first difference is tensor " + at + ": "
                + (at < there.size() ? there.get(at) : "none") + " where rank 0 has "
                + (at < first.size() ? first.get(at) : "none");
    }
}
