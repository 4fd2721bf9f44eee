package org.tutti.train.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.Sampler;
import ai.djl.training.loss.Loss;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DistributedBatchesTest {
    private static ArrayDataset data(NDManager manager, int samples, Sampler sampler) {
        return new ArrayDataset.Builder()
                .setData(manager.randomNormal(new Shape(samples, 6)))
                .optLabels(manager.arange(samples).mod(4).toType(DataType.INT64, false))
                .setSampling(sampler)
                .build();
    }

    private static List<List<Long>> batches(ArrayDataset data, DistributedBatches of) {
        List<List<Long>> all = new ArrayList<>();
        of.sample(data).forEachRemaining(all::add);
        return all;
    }

    @Test
    void everySampleIsUsedOnceOnOneRank() {
        SingleRank.run(group -> {
            try (NDManager manager = NDManager.newBaseManager()) {
                for (int size = 1; size <= 8; size++) {
                    List<Long> seen = new ArrayList<>();
                    for (int rank = 0; rank < size; rank++) {
                        DistributedBatches mine = DistributedBatches.ofGlobalSize(32, SingleRank.place(rank, size))
                                .withShuffle(5);
                        for (List<Long> b : batches(data(manager, 499, mine), mine)) {
                            assertThat(b).hasSizeBetween(1, mine.getBatchSize());
                            seen.addAll(b);
                        }
                    }
                    assertThat(seen)
                            .containsExactlyInAnyOrderElementsOf(
                                    LongStream.range(0, 499).boxed().toList());
                }
            }
        });
    }

    @Test
    void eachPassIsAnotherEpochThatCanBeRepeated() {
        SingleRank.run(group -> {
            try (NDManager manager = NDManager.newBaseManager()) {
                DistributedBatches mine =
                        DistributedBatches.of(8, SingleRank.place(1, 2)).withShuffle(5);
                ArrayDataset data = data(manager, 50, mine);
                List<List<Long>> first = batches(data, mine), second = batches(data, mine);
                assertThat(second).isNotEqualTo(first);
                assertThat(batches(data, mine.withEpoch(1))).isEqualTo(second);
                assertThat(mine.getBatchSize()).isEqualTo(8);
            }
        });
    }

    @Test
    void anEvaluationCountsAsOneRankDoes() {
        SingleRank.run(group -> {
            try (NDManager manager = NDManager.newBaseManager();
                    Model model = Model.newInstance("evaluation")) {
                model.setBlock(Linear.builder().setUnits(4).build());
                DefaultTrainingConfig config = new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss());
                try (DdpTrainer trainer = DdpTrainer.of(model, config, group)) {
                    trainer.initialize(new Shape(1, 6));
                    NDArray pixels = manager.randomNormal(new Shape(499, 6));
                    NDArray labels = manager.randomInteger(0, 4, new Shape(499), DataType.INT64);
                    double[] alone = null;
                    for (int size = 1; size <= 8; size++) {
                        double[] sums = new double[2];
                        for (int rank = 0; rank < size; rank++) {
                            ArrayDataset part = new ArrayDataset.Builder()
                                    .setData(pixels)
                                    .optLabels(labels)
                                    .setSampling(DistributedBatches.of(16, SingleRank.place(rank, size)))
                                    .build();
                            double[] mine = trainer.evaluateSums(part, 2, (label, predictions, sum) -> {
                                NDArray right = predictions.head().argMax(1).eq(label.head());
                                sum[0] += right.countNonzero().getLong();
                                sum[1] += right.size();
                            });
                            sums[0] += mine[0];
                            sums[1] += mine[1];
                        }
                        if (alone == null) alone = sums;
                        assertThat(sums).isEqualTo(alone);
                        assertThat(sums[1]).isEqualTo(499);
                    }
                }
            }
        });
    }

    @Test
    void wrongNumbersAreNamed() {
        assertThatThrownBy(() -> DistributedBatches.of(0, SingleRank.place(0, 1)))
                .hasMessage("a batch of 0 samples; it must have at least 1");
        assertThatThrownBy(
                        () -> DistributedBatches.of(1, SingleRank.place(0, 1)).withEpoch(-1))
                .hasMessage("epoch -1");
        SingleRank.run(group -> {
            try (NDManager manager = NDManager.newBaseManager()) {
                DistributedBatches few = DistributedBatches.of(8, SingleRank.place(1, 4));
                ArrayDataset data = data(manager, 3, few);
                assertThat(batches(data, few)).hasSize(1);
                assertThatThrownBy(() -> few.withShuffle(1).sample(data))
                        .hasMessage(
                                "steps of 3 samples for 4 ranks: some would have none to train with; use fewer ranks");
            }
        });
    }
}
