package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DistributedSamplerTest {
    private static List<Batch> batches(DistributedSampler sampler, int all) {
        List<Batch> list = new ArrayList<>();
        sampler.globalBatches(all).forEach(list::add);
        return list;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8})
    void everySampleIsSeenOnceAndAllRanksMakeAsManySteps(int size) {
        List<Integer> seen = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            List<Batch> mine = batches(
                    DistributedSampler.of(499, rank, size).withShuffle(7).withEpoch(3), 32);
            assertThat(mine).hasSize(16);
            assertThat(mine).extracting(Batch::globalSize).startsWith(32, 32).endsWith(499 - 15 * 32);
            for (Batch b : mine) Arrays.stream(b.samples()).forEach(seen::add);
        }
        assertThat(seen)
                .hasSize(499)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 499).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void aStepHasTheSameSamplesHoweverManyRanksShareThem(int size) {
        List<Batch> alone = batches(DistributedSampler.of(101, 0, 1).withShuffle(1), 10);
        for (int step = 0; step < alone.size(); step++) {
            List<Integer> together = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                Batch b = batches(DistributedSampler.of(101, rank, size).withShuffle(1), 10)
                        .get(step);
                Arrays.stream(b.samples()).forEach(together::add);
                assertThat(b.globalSize()).isEqualTo(alone.get(step).globalSize());
            }
            assertThat(together)
                    .isEqualTo(Arrays.stream(alone.get(step).samples()).boxed().toList());
        }
    }

    @Test
    void moreRanksThanSamplesLeaveSomeWithNone() {
        int[] sizes = IntStream.range(0, 5)
                .map(r -> batches(DistributedSampler.of(3, r, 5), 8).getFirst().size())
                .toArray();
        assertThat(Arrays.stream(sizes).sum()).isEqualTo(3);
        assertThat(sizes).contains(0);
    }

    @Test
    void epochsDifferAndCanBeRepeated() {
        DistributedSampler sampler = DistributedSampler.of(50, 0, 2).withShuffle(9);
        int[] first = sampler.withEpoch(1).samples();
        assertThat(sampler.withEpoch(2).samples()).isNotEqualTo(first);
        assertThat(sampler.withEpoch(1).samples()).isEqualTo(first);
        assertThat(DistributedSampler.of(50, 0, 2).withShuffle(10).withEpoch(1).samples())
                .isNotEqualTo(first);
    }

    @Test
    void aBatchSizeIsForEachRank() {
        Batch first = DistributedSampler.of(100, 1, 4).batches(5).iterator().next();
        assertThat(first.size()).isEqualTo(5);
        assertThat(first.globalSize()).isEqualTo(20);
    }

    @Test
    void noSamplesAreNoSteps() {
        assertThat(DistributedSampler.of(0, 0, 2).withShuffle(1).batches(4)).isEmpty();
    }

    @Test
    void wrongNumbersAreNamed() {
        assertThatThrownBy(() -> DistributedSampler.of(-1, 0, 1)).hasMessageContaining("-1 samples");
        assertThatThrownBy(() -> DistributedSampler.of(5, 2, 2)).hasMessageContaining("rank 2 of 2");
        assertThatThrownBy(() -> DistributedSampler.of(5, 0, 1).batches(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> DistributedSampler.of(5, 0, 1).withEpoch(-1)).hasMessageContaining("epoch -1");
    }
}
