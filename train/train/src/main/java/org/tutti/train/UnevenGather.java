package org.tutti.train;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Concatenates the values of all ranks; the number of values may differ between ranks. Each rank broadcasts the
/// rank's part directly into the result, so that no part is padded, and the result is the only large memory.
final class UnevenGather {
    private UnevenGather() {}

    /// Returns the number of values of all ranks together.
    ///
    /// @throws TrainingException on all ranks, if the types differ, or the result is too long for an array
    static int count(ProcessGroup group, DType type, int mine) {
        long[] all = group.allgather(type.ordinal(), mine);
        long count = 0;
        for (int r = 0; r < group.size(); r++) {
            if (all[2 * r] != all[0]) {
                throw new TrainingException("gatherForMetrics: rank " + r + " has an array of "
                        + DType.values()[(int) all[2 * r]] + " and rank 0 of " + DType.values()[(int) all[0]]);
            }
            count += all[2 * r + 1];
        }
        if (count > Integer.MAX_VALUE - 8) {
            throw new TrainingException("gatherForMetrics: " + count + " values of " + group.size()
                    + " ranks do not fit into an array; pass tensors, or gather in several calls");
        }
        return (int) count;
    }

    static void into(MemorySegment all, MemorySegment mine, ProcessGroup group) {
        long[] bytes = group.allgather(mine.byteSize());
        long at = 0;
        for (int r = 0; r < bytes.length; r++) {
            MemorySegment part = all.asSlice(at, bytes[r]);
            if (r == group.rank()) part.copyFrom(mine);
            if (bytes[r] > 0) group.broadcast(part, r);
            at += bytes[r];
        }
    }

    static Tensor rows(Tensor mine, ProcessGroup group) {
        List<Long> shape = mine.spec().shape();
        long count = shape.isEmpty() ? 1 : shape.getFirst();
        List<Long> row = shape.isEmpty() ? List.of() : shape.subList(1, shape.size());
        DType type = mine.spec().dtype();
        List<String> ranks = group.allgather(count + " " + type + " " + row);
        long rows = 0;
        int first = -1;
        for (int r = 0; r < ranks.size(); r++) {
            long there = Long.parseLong(ranks.get(r).substring(0, ranks.get(r).indexOf(' ')));
            rows += there;
            if (there == 0) continue; // an empty tensor may have any shape
            if (first < 0) first = r;
            if (!rowOf(ranks.get(r)).equals(rowOf(ranks.get(first)))) {
                throw new TrainingException(
                        "gatherForMetrics: the rows differ: rank " + r + " has " + rowOf(ranks.get(r)) + " and rank "
                                + first + " " + rowOf(ranks.get(first)) + "; the first dimension is the samples'");
            }
        }
        if (first >= 0 && count == 0) {
            String[] of = rowOf(ranks.get(first)).split(" ", 2);
            type = DType.valueOf(of[0]);
            row = Arrays.stream(of[1].substring(1, of[1].length() - 1).split(", "))
                    .filter(d -> !d.isEmpty())
                    .map(Long::valueOf)
                    .toList();
        }
        List<Long> total = new ArrayList<>(List.of(rows));
        total.addAll(row);
        TensorSpec spec = new TensorSpec(mine.name(), type, total);
        MemorySegment all = Arena.ofAuto().allocate(Math.max(1, spec.sizeBytes()), Long.BYTES);
        MemorySegment data = mine.storage().read();
        into(all.asSlice(0, spec.sizeBytes()), count == 0 ? MemorySegment.NULL : data, group);
        return new Tensor(spec, all.asSlice(0, spec.sizeBytes()));
    }

    private static String rowOf(String rank) {
        return rank.substring(rank.indexOf(' ') + 1);
    }
}
