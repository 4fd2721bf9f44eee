package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

class GatherForMetricsTest {
    @Test
    void predictionsAreInTheOrderOfTheDataSet() {
        for (int ranks = 1; ranks <= 4; ranks++) {
            for (int samples : new int[] {0, 1, 3, 10}) {
                List<float[]> all = Ranks.run(ranks, group -> {
                    int[] mine = DistributedSampler.of(samples, group).samples();
                    float[] predictions = new float[mine.length];
                    for (int i = 0; i < mine.length; i++) predictions[i] = mine[i] * 1.5f;
                    return group.gatherForMetrics(predictions);
                });
                for (float[] of : all) {
                    assertThat(of).as("%d ranks", ranks).hasSize(samples);
                    for (int i = 0; i < samples; i++) assertThat(of[i]).isEqualTo(i * 1.5f);
                }
            }
        }
    }

    /// Rank r has r values.
    @Test
    void allTypesHaveAnyNumbersOfValues() {
        List<Boolean> all = Ranks.run(4, group -> {
            int rank = group.rank();
            int[] expected = {1, 2, 2, 3, 3, 3};
            int[] mine = IntStream.generate(() -> rank).limit(rank).toArray();
            assertThat(group.gatherForMetrics(mine)).isEqualTo(expected);
            assertThat(group.gatherForMetrics(Arrays.stream(mine).asLongStream().toArray()))
                    .containsExactly(1, 2, 2, 3, 3, 3);
            assertThat(group.gatherForMetrics(
                            Arrays.stream(mine).asDoubleStream().toArray()))
                    .containsExactly(1, 2, 2, 3, 3, 3);
            return true;
        });
        assertThat(all).hasSize(4);
    }

    private static Tensor tensor(DType type, Long... shape) {
        TensorSpec spec = new TensorSpec("predictions", type, List.of(shape));
        return new Tensor(spec, MemorySegment.ofArray(new long[(int) (spec.sizeBytes() / 8)]));
    }

    @Test
    void rowsOfTensorsAreConcatenated() {
        List<Tensor> all = Ranks.run(3, group -> {
            long rows = group.rank() == 1 ? 0 : group.rank() + 1;
            // the tensor of a rank without samples has a different shape and type
            Tensor mine = rows == 0 ? tensor(DType.F64, 0L) : tensor(DType.I64, rows, 2L);
            for (long i = 0; i < 2 * rows; i++) {
                mine.data().setAtIndex(ValueLayout.JAVA_LONG, i, 100L * group.rank() + i);
            }
            return group.gatherForMetrics(mine);
        });
        for (Tensor of : all) {
            assertThat(of.spec()).isEqualTo(new TensorSpec("predictions", DType.I64, List.of(4L, 2L)));
            assertThat(of.data().toArray(ValueLayout.JAVA_LONG)).containsExactly(0, 1, 200, 201, 202, 203, 204, 205);
        }
    }

    @Test
    void aNumberIsARowOfItsOwn() {
        List<Tensor> all = Ranks.run(
                2,
                group -> group.gatherForMetrics(new Tensor(
                        new TensorSpec("loss", DType.F64, List.of()),
                        MemorySegment.ofArray(new double[] {group.rank()}))));
        for (Tensor of : all) {
            assertThat(of.spec().shape()).containsExactly(2L);
            assertThat(of.data().toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(0, 1);
        }
    }

    @Test
    void differentTypesAndRowsAreNamedOnAllRanks() {
        List<String> arrays = Ranks.run(3, group -> {
            try {
                if (group.rank() == 1) group.gatherForMetrics(new double[3]);
                else group.gatherForMetrics(new float[3]);
                return "";
            } catch (TrainingException e) {
                return String.valueOf(e.getMessage());
            }
        });
        assertThat(arrays).containsOnly("gatherForMetrics: rank 1 has an array of F64 and rank 0 of F32");
        List<String> rows = Ranks.run(3, group -> {
            try {
                group.gatherForMetrics(tensor(DType.I64, 3L, group.rank() == 2 ? 4L : 2L));
                return "";
            } catch (TrainingException e) {
                return String.valueOf(e.getMessage());
            }
        });
        assertThat(rows)
                .containsOnly("gatherForMetrics: the rows differ: rank 2 has I64 [4] and rank 0 I64 [2]; the first"
                        + " dimension is the samples'");
    }
}
