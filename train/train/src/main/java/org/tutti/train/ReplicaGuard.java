package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;

/// Checks at regular steps that all ranks still have the same model, bit for bit. Replicas can diverge without
/// an error, for example because of an optimizer with a random part, a batch norm with separate means, or a
/// step that one rank has skipped.
///
///     ReplicaGuard guard = ReplicaGuard.of(group, 100);
///     … guard.check(step, model);        in each step, on all ranks
public final class ReplicaGuard {
    private static final long PRIME = 0x9E3779B185EBCA87L;

    private final long every;
    private final ProcessGroup group;

    private ReplicaGuard(long every, ProcessGroup group) {
        this.every = every;
        this.group = group;
    }

    /// Returns a guard that compares in every step divisible by `everySteps`; see [#check].
    public static ReplicaGuard of(ProcessGroup group, long everySteps) {
        if (everySteps <= 0) throw new IllegalArgumentException("a check every " + everySteps + " steps");
        return new ReplicaGuard(everySteps, group);
    }

    /// Compares the complete model: parameters, frozen parameters and buffers. As [#check(long, List)].
    ///
    /// @throws TrainingException as [#check(long, List)]
    public void check(long step, DataParallelModel model) {
        if (step % every != 0) return;
        List<Tensor> all = new ArrayList<>(model.parameters());
        all.addAll(model.frozen());
        all.addAll(model.buffers());
        check(step, all);
    }

    /// Compares the tensors, in steps that are a multiple of the interval of [#of]. All ranks call it.
    ///
    /// @throws TrainingException on all ranks, if the ranks differ; the message names the ranks and tensors
    ///     that differ from the majority
    public void check(long step, List<Tensor> tensors) {
        if (step % every != 0) return;
        long[] mine = new long[tensors.size() + 1];
        for (int i = 0; i < tensors.size(); i++) {
            mine[i + 1] = hash(tensors.get(i).storage().read());
            mine[0] = mix(mine[0], mine[i + 1]);
        }
        long[] totals = group.allgather(mine[0], tensors.size());
        boolean same = true;
        for (int r = 1; r < group.size(); r++) {
            same &= totals[2 * r] == totals[0] && totals[2 * r + 1] == totals[1];
        }
        if (same) return;
        for (int r = 1; r < group.size(); r++) {
            if (totals[2 * r + 1] == totals[1]) continue;
            throw new TrainingException(
                    "step " + step + ": rank " + r + " has " + totals[2 * r + 1] + " tensors and rank 0 " + totals[1]);
        }
        throw new TrainingException("step " + step + ": the replicas differ: " + differences(tensors, mine));
    }

    private String differences(List<Tensor> tensors, long[] mine) {
        long[] all = group.allgather(mine);
        List<String> found = new ArrayList<>();
        for (int r = 0; r < group.size(); r++) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < tensors.size(); i++) {
                if (all[r * mine.length + i + 1] != most(all, mine.length, i + 1))
                    names.add(tensors.get(i).name());
            }
            if (!names.isEmpty()) found.add("rank " + r + " in " + String.join(", ", names));
        }
        return String.join("; ", found) + " (compared with the majority, or with rank 0 without a majority)";
    }

    /// Returns the most frequent value at index `at` over all ranks; in a tie, the value of the lowest rank.
    private long most(long[] all, int each, int at) {
        Map<Long, Integer> votes = new HashMap<>();
        for (int r = 0; r < group.size(); r++) votes.merge(all[r * each + at], 1, Integer::sum);
        long best = all[at];
        for (int r = 1; r < group.size(); r++) {
            long here = all[r * each + at];
            if (votes.getOrDefault(here, 0) > votes.getOrDefault(best, 0)) best = here;
        }
        return best;
    }

    private static long hash(MemorySegment data) {
        long h = data.byteSize();
        long at = 0;
        for (; at + 8 <= data.byteSize(); at += 8) h = mix(h, data.get(JAVA_LONG_UNALIGNED, at));
        for (; at < data.byteSize(); at++) h = mix(h, data.get(JAVA_BYTE, at));
        return h;
    }

    private static long mix(long h, long value) {
        return Long.rotateLeft(h ^ value * PRIME, 29) * PRIME;
    }
}
