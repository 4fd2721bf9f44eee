package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.train.BatchLoader.LoadedBatch;
import org.tutti.train.BatchLoader.Options;

@Timeout(60)
class BatchLoaderTest {
    /// The currently open data.
    private final Set<Data> open = ConcurrentHashMap.newKeySet();

    private final AtomicInteger most = new AtomicInteger();

    private final class Data implements AutoCloseable {
        final List<Integer> samples;

        Data(List<Integer> samples) {
            this.samples = samples;
            open.add(this);
            most.accumulateAndGet(open.size(), Math::max);
        }

        @Override
        public void close() {
            assertThat(open.remove(this)).as("closed once").isTrue();
        }
    }

    private static Iterable<Batch> batches(int samples) {
        return DistributedSampler.of(samples, 0, 1).withShuffle(3).batches(7);
    }

    @Test
    void batchesAreOrderedAndClosed() {
        List<List<Integer>> expected = new ArrayList<>(), seen = new ArrayList<>();
        for (Batch b : batches(500))
            expected.add(Arrays.stream(b.samples()).boxed().toList());
        try (BatchLoader<Data> loader = BatchLoader.of(
                batches(500),
                sample -> {
                    if (sample % 5 == 0) Thread.yield(); // some reads take longer
                    return sample;
                },
                Data::new,
                Options.DEFAULTS.withThreads(4).withPrefetchedBatches(3))) {
            for (LoadedBatch<Data> next : loader) {
                assertThat(next.batch().size()).isEqualTo(next.data().samples.size());
                assertThat(open).contains(next.data());
                seen.add(next.data().samples);
            }
            assertThatThrownBy(loader::iterator).hasMessageContaining("create one for each epoch");
        }
        assertThat(seen).isEqualTo(expected);
        assertThat(open).isEmpty();
        assertThat(most.get()).as("open at the same time").isLessThanOrEqualTo(4);
    }

    /// Each read waits until all threads are reading.
    @Test
    void threadsReadAtTheSameTime() {
        CyclicBarrier all = new CyclicBarrier(3);
        try (BatchLoader<List<Integer>> loader = BatchLoader.of(
                DistributedSampler.of(12, 0, 1).batches(1),
                sample -> {
                    try {
                        all.await(50, TimeUnit.SECONDS);
                        return sample;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                list -> list,
                Options.DEFAULTS.withThreads(3).withPrefetchedBatches(3))) {
            int count = 0;
            for (LoadedBatch<List<Integer>> next : loader)
                assertThat(next.data()).containsExactly(count++);
            assertThat(count).isEqualTo(12);
        }
    }

    @Test
    void aSampleThatCannotBeReadIsNamedWhereItsBatchIsAskedFor() {
        BatchLoader<Data> loader = BatchLoader.of(
                DistributedSampler.of(20, 0, 1).batches(4),
                sample -> {
                    if (sample == 9) throw new IllegalArgumentException("no image");
                    return sample;
                },
                Data::new);
        int[] well = {0};
        assertThatThrownBy(() -> {
                    try (loader) {
                        for (LoadedBatch<Data> next : loader)
                            well[0] += next.batch().size();
                    }
                })
                .isInstanceOf(TrainingException.class)
                .hasMessage("sample 9 could not be read: java.lang.IllegalArgumentException: no image")
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(well[0]).isEqualTo(8);
        assertThat(open).isEmpty();
        BatchLoader<Data> other = BatchLoader.of(DistributedSampler.of(3, 0, 1).batches(3), s -> s, list -> {
            throw new IllegalStateException("out of space");
        });
        assertThatThrownBy(() -> other.iterator().next())
                .hasMessage("a batch of 3 samples, the first is 0, could not be put together:"
                        + " java.lang.IllegalStateException: out of space");
        other.close();
    }

    @Test
    void aLoopThatIsLeftLeavesNothing() {
        try (BatchLoader<Data> loader = BatchLoader.of(batches(5000), s -> s, Data::new)) {
            for (LoadedBatch<Data> next : loader) {
                if (next.batch().samples()[0] >= 0) break;
            }
        }
        assertThat(open).isEmpty();
        assertThatThrownBy(() -> Options.DEFAULTS.withThreads(0))
                .hasMessage("0 threads, 4 batches ahead; both must be at least 1");
    }

    @Test
    void aBatchWithoutSamplesHasNoData() {
        try (BatchLoader<Data> loader = BatchLoader.of(List.of(new Batch(new int[0], 1)), s -> s, Data::new)) {
            for (LoadedBatch<Data> next : loader) {
                assertThat(next.batch().size()).isZero();
                assertThat(next.data()).isNull();
            }
        }
    }
}
