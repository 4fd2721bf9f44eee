package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tutti.train.model.DType;

final class MpiGroupTest {
    private static final String TAIL =
            "; all ranks must make the same number of steps, and the same calls in the same order";

    @Test
    void operationsReturnTheExpectedValues() {
        for (int size : new int[] {1, 3}) {
            Ranks.run(size, group -> {
                assertThat(group.backend()).isEqualTo("shm");
                assertThat(group.sum(group.rank(), 1.5)).containsExactly(size * (size - 1) / 2.0, 1.5 * size);
                assertThat(group.sum(1L << 40)).isEqualTo(size * (1L << 40));
                assertThat(group.allgather("r" + group.rank())).hasSize(size).contains("r0");
                assertThat(group.allgather(group.rank(), 7)).hasSize(2 * size).startsWith(0, 7);
                int[] numbers = {group.rank(), 10};
                group.broadcast(MemorySegment.ofArray(numbers), size - 1);
                assertThat(numbers).containsExactly(size - 1, 10);
                group.barrier();
                assertThat(group.mean(group.rank(), 4)).containsExactly((size - 1) / 2.0, 4);
                assertThat(group.max(group.rank(), -2)).containsExactly(size - 1, -2);
                assertThat(group.min(group.rank(), Double.NaN)).containsExactly(0, Double.NaN);
                float[] mine = {group.rank(), 5}, all = new float[2 * size];
                group.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
                for (int r = 0; r < size; r++) assertThat(all[2 * r]).isEqualTo(r);
                group.reduceScatter(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), DType.F32);
                assertThat(mine).containsExactly(group.rank() * size, 5 * size);
                assertThatThrownBy(
                                () -> group.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(new byte[9])))
                        .hasMessage("a part of 8 bytes, of which " + size + " are not the 9 bytes of all");
                return true;
            });
        }
    }

    @Test
    void ranksWithDifferentOperationsAreReported() {
        Ranks.run(3, group -> {
            assertThatThrownBy(() -> {
                        if (group.rank() == 1) group.barrier();
                        else group.allgather(1, 2);
                    })
                    .isInstanceOf(TrainingException.class)
                    .hasMessage(
                            "the ranks do not do the same: rank 0 calls allgather(2 numbers), rank 1 calls barrier(),"
                                    + " rank 2 calls allgather(2 numbers)" + TAIL);
            return true;
        });
    }

    @Test
    void sumsOfDifferentLengthsAreReported() {
        Ranks.run(2, group -> {
            double[] data = new double[3 + group.rank()];
            assertThatThrownBy(() -> group.allreduce(MemorySegment.ofArray(data), DType.F64))
                    .hasMessage("the ranks do not do the same: rank 0 calls allreduce(24 bytes), rank 1 calls"
                            + " allreduce(32 bytes)" + TAIL);
            return true;
        });
    }
}
