package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.model.DType;

class DistributedDataParallelTest {
    private static final int MOST_RANKS = Boolean.getBoolean("tutti.full") ? 5 : 3;
    private static final int SAMPLES = 70, GLOBAL_BATCH = 16, STEPS = 100;
    private static final double RATE = 0.1;

    /// Buckets with one or two parameters.
    private static final Options SMALL =
            Options.DEFAULTS.withFirstBucketBytes(16).withBucketBytes(100);

    private static double[] train(ProcessGroup group, DType type, boolean notifies, Options options) {
        TinyModel model = new TinyModel(type, notifies, 5 + group.rank());
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options);
        DistributedSampler sampler = DistributedSampler.of(SAMPLES, group).withShuffle(3);
        int steps = 0;
        for (int epoch = 0; steps < STEPS; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(GLOBAL_BATCH)) {
                try (Step step = ddp.step(batch.size())) {
                    if (batch.size() > 0) model.backward(batch.samples(), 0);
                    step.sync();
                    model.descend(RATE);
                }
                steps++;
            }
        }
        assertThat(ddp.communicationStats().steps()).isEqualTo(steps);
        return model.all();
    }

    private static double distance(double[] a, double[] b) {
        double squares = 0, all = 0;
        for (int i = 0; i < a.length; i++) {
            squares += (a[i] - b[i]) * (a[i] - b[i]);
            all += a[i] * a[i];
        }
        return Math.sqrt(squares / all);
    }

    @ParameterizedTest
    @CsvSource({"F32, true", "F32, false", "F64, true"})
    void anyNumberOfRanksTrainsTheSameModel(DType type, boolean notifies) {
        double[] alone = Ranks.run(1, g -> train(g, type, notifies, SMALL)).getFirst();
        assertThat(alone).isNotEqualTo(new TinyModel(type, notifies, 5).all());
        for (int size = 2; size <= MOST_RANKS; size++) {
            List<double[]> all = Ranks.run(size, g -> train(g, type, notifies, SMALL));
            for (double[] one : all) assertThat(one).isEqualTo(all.getFirst());
            assertThat(distance(alone, all.getFirst())).isLessThan(1e-6);
        }
    }

    @Test
    void twoRunsGiveTheSameBits() {
        double[] first = Ranks.run(3, g -> train(g, DType.F32, true, SMALL)).getFirst();
        assertThat(Ranks.run(3, g -> train(g, DType.F32, true, SMALL)).getFirst())
                .isEqualTo(first);
    }

    @Test
    void aThreadOfItsOwnMovesTheBuckets() {
        Options busily = SMALL.withProgressThread(true);
        double[] without = Ranks.run(3, g -> train(g, DType.F32, true, SMALL)).getFirst();
        assertThat(Ranks.run(3, g -> train(g, DType.F32, true, busily)).getFirst())
                .isEqualTo(without);
    }

    /// Asserts that the model, which started with initial parameters, has the same parameters as a single
    /// process after the same batches.
    private static void assertSteppedLikeOneRank(TinyModel model, int[]... batches) {
        TinyModel alone = new TinyModel(DType.F64, false, 1);
        for (int[] batch : batches) alone.backward(batch, 0);
        model.descend(RATE);
        alone.descend(RATE);
        assertThat(distance(alone.all(), model.all())).isLessThan(1e-12);
    }

    @Test
    void moreRanksThanSamplesInAStep() {
        Ranks.run(4, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            Batch batch =
                    DistributedSampler.of(2, group).globalBatches(2).iterator().next();
            try (Step step = ddp.step(batch.size())) {
                if (batch.size() > 0) model.backward(batch.samples(), 0);
                step.sync();
            }
            assertSteppedLikeOneRank(model, new int[] {0, 1});
            return true;
        });
    }

    @Test
    void accumulatedStepsAreSentOnce() {
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            try (Step step = ddp.accumulate(1)) {
                model.backward(new int[] {group.rank()}, 0);
                assertThatThrownBy(step::sync).hasMessageContaining("accumulate()");
            }
            try (Step step = ddp.step(1)) {
                model.backward(new int[] {2 + group.rank()}, 0);
                step.sync();
            }
            assertSteppedLikeOneRank(model, new int[] {0, 1, 2, 3});
            return true;
        });
    }

    /// On one rank, 48 samples in steps of 32 and 16; on three ranks, 47 samples in steps of 12, 33 and 2,
    /// divided unevenly over the ranks.
    @Test
    void accumulatedStepsOfAnySizesAreTheMeanOverAllSamples() {
        int[] all = IntStream.range(0, 48).toArray();
        Ranks.run(1, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            accumulate(ddp, model, Arrays.copyOfRange(all, 0, 32));
            finish(ddp, model, Arrays.copyOfRange(all, 32, 48));
            assertSteppedLikeOneRank(model, all);
            return true;
        });
        Ranks.run(3, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            for (int round = 0; round < 3; round++) {
                int[] mine = Arrays.copyOfRange(all, 16 * group.rank(), 16 * group.rank() + 16);
                accumulate(ddp, model, Arrays.copyOfRange(mine, 0, 3 + group.rank()));
                accumulate(ddp, model, Arrays.copyOfRange(mine, 3 + group.rank(), 15));
                // the last part of rank 2 is empty
                int to = group.rank() == 2 ? 15 : 16;
                finish(ddp, model, Arrays.copyOfRange(mine, 15, to));
                if (round > 0) continue;
                TinyModel alone = new TinyModel(DType.F64, false, 1);
                alone.backward(Arrays.copyOfRange(all, 0, 47), 0);
                alone.descend(RATE);
                model.descend(RATE);
                assertThat(distance(alone.all(), model.all())).isLessThan(1e-12);
            }
            return true;
        });
    }

    private static void accumulate(DistributedDataParallel ddp, TinyModel model, int[] samples) {
        try (var _ = ddp.accumulate(samples.length)) {
            model.backward(samples, 0);
        }
    }

    private static void finish(DistributedDataParallel ddp, TinyModel model, int[] samples) {
        try (Step step = ddp.step(samples.length)) {
            if (samples.length > 0) model.backward(samples, 0);
            step.sync();
        }
    }

    @Test
    void aRankThatHasLeftAStepOutIsNamedAtTheNextSync() {
        assertThat(message(3, group -> {
                    TinyModel model = new TinyModel(DType.F32, false, 1);
                    DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
                    finish(ddp, model, new int[] {group.rank()});
                    if (group.rank() == 1) ddp.step(1).close(); // a sample that cannot be read
                    finish(ddp, model, new int[] {group.rank()});
                    return null;
                }))
                .startsWith("the ranks are in different steps: rank 0 in step 2, rank 1 in step 3, rank 2 in"
                        + " step 2; ");
    }

    /// The gradients are so large that the type cannot represent their sum over ranks or samples.
    @Test
    void largeGradientsDoNotOverflowBeforeTheirMean() {
        for (int samples : new int[] {1, 64, 1000}) {
            Ranks.run(2, group -> {
                TinyModel model = new TinyModel(DType.F32, false, 1);
                DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
                for (int k = 0; k < 2; k++) {
                    try (Step step = ddp.step(samples)) {
                        for (int i = 0; i < 4; i++) model.createGradient(i);
                        model.gradient(TinyModel.W2, 4, 1e37);
                        step.sync();
                        assertThat(model.gradient(TinyModel.W2).getAtIndex(ValueLayout.JAVA_FLOAT, 4))
                                .isEqualTo(1e37f);
                    }
                }
                return true;
            });
        }
    }

    @Test
    void aSumThatOverflowsIsNamedOnAllRanks() {
        assertThat(message(2, group -> {
                    TinyModel model = new TinyModel(DType.F32, false, 1);
                    DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
                    for (int k = 0; k < 2; k++) {
                        try (Step step = ddp.step(8)) {
                            for (int i = 0; i < 4; i++) model.createGradient(i);
                            model.gradient(TinyModel.B1, 2, k == 0 ? 1 : 3e38);
                            step.sync();
                        }
                    }
                    return null;
                }))
                .isEqualTo("step 2: the sum over all ranks of the gradient of hidden.bias is not finite, although the"
                        + " gradients of all ranks are; make the loss smaller");
    }

    /// Each phase has a new group and the same models; the previous phase does not interfere.
    @Test
    void theNextGroupMayHaveTheSameModel() {
        TinyModel[] models = {new TinyModel(DType.F64, true, 1), new TinyModel(DType.F64, true, 1)};
        DistributedDataParallel[] before = new DistributedDataParallel[2];
        for (int phase = 0; phase < 3; phase++) {
            Ranks.run(2, group -> {
                TinyModel model = models[group.rank()];
                DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
                model.forgetGradients();
                finish(ddp, model, new int[] {group.rank()});
                before[group.rank()] = ddp;
                return true;
            });
        }
        for (DistributedDataParallel ddp : before) ddp.close();
    }

    @Test
    void anotherOneOfTheSameModelTakesItsPlace() {
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel first = DistributedDataParallel.of(model, group, SMALL);
            finish(first, model, new int[] {group.rank()});
            model.forgetGradients();
            try (DistributedDataParallel second = DistributedDataParallel.of(model, group, SMALL)) {
                assertThatThrownBy(() -> first.step(1))
                        .hasMessage(
                                "no step can begin: a second DistributedDataParallel was created for the same model");
                first.close();
                finish(second, model, new int[] {group.rank()});
                assertSteppedLikeOneRank(model, new int[] {0, 1});
            }
            // as without DistributedDataParallel
            model.backward(new int[] {0}, 0);
            assertThatThrownBy(() -> first.step(1)).hasMessageContaining("no step can begin");
            return true;
        });
    }

    @Test
    void clippingIsByTheNormOfAllGradients() {
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            try (Step step = ddp.step(1)) {
                assertThatThrownBy(() -> step.clipGradNorm(1)).hasMessageContaining("after sync");
                model.backward(new int[] {group.rank()}, 0);
                step.sync();
                double norm = step.clipGradNorm(1e-3);
                assertThat(norm).isGreaterThan(1e-3);
                assertThat(step.clipGradNorm(1)).isCloseTo(1e-3, org.assertj.core.data.Offset.offset(1e-12));
            }
            return true;
        });
    }

    private static String message(int size, Ranks.Body<Object> body) {
        List<String> all = Ranks.run(size, group -> {
            Throwable thrown = catchThrowable(() -> body.run(group));
            assertThat(thrown).isInstanceOf(TrainingException.class);
            return String.valueOf(thrown.getMessage());
        });
        for (String one : all) assertThat(one).isEqualTo(all.getFirst());
        return all.getFirst();
    }

    @Test
    void aModelOfOtherParametersIsNamed() {
        assertThat(message(
                        3,
                        group -> DistributedDataParallel.of(
                                new TinyModel(group.rank() == 2 ? DType.F64 : DType.F32, true, 1), group)))
                .contains("the ranks' models differ: rank 2 has 4 tensors and rank 0 4")
                .contains(
                        "tensor 0: parameter hidden.weight F64[7, 5] where rank 0 has parameter hidden.weight F32[7, 5]");
    }

    @Test
    void aGradientThatIsNoNumberIsNamedOnAllRanks() {
        assertThat(message(3, group -> {
                    TinyModel model = new TinyModel(DType.F32, false, 1);
                    DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
                    try (Step step = ddp.step(1)) {
                        model.backward(new int[] {group.rank()}, 0);
                        if (group.rank() == 1) model.gradient(TinyModel.W2, 4, Double.NaN);
                        step.sync();
                    }
                    return null;
                }))
                .isEqualTo("step 1: not a finite number in the gradient of out.weight on rank 1");
    }

    @Test
    void aParameterThatBackwardHasNotReachedIsNamed() {
        assertThat(message(3, group -> {
                    TinyModel model = new TinyModel(DType.F32, true, 1);
                    DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
                    try (Step step = ddp.step(1)) {
                        model.backward(new int[] {group.rank()}, group.rank() == 2 ? 2 : 0);
                        step.sync();
                    }
                    return null;
                }))
                .startsWith("step 1: backward has not reached hidden.bias, hidden.weight on rank 2; ");
    }

    @Test
    void anUnusedParameterCountsAsZeroWhereThatIsAllowed() {
        Options allowed = SMALL.withFindUnusedParameters(true);
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, allowed);
            for (int round = 0; round < 2; round++) {
                model.forgetGradients();
                try (Step step = ddp.step(1)) {
                    // no rank uses the first parameter, rank 1 does not use the second
                    model.backward(new int[] {group.rank()}, 1 + group.rank());
                    step.sync();
                }
                assertThat(model.gradient(TinyModel.W1)).isNull();
                assertThat(model.gradient(TinyModel.B1)).isNotNull();
            }
            return true;
        });
    }

    @Test
    void afterARefusedStepTheNextOneIsRight() {
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            model.backward(new int[] {0}, 3);
                            step.sync();
                        }
                    })
                    .isInstanceOf(TrainingException.class);
            model.forgetGradients();
            try (Step step = ddp.step(1)) {
                model.backward(new int[] {group.rank()}, 0);
                step.sync();
            }
            assertSteppedLikeOneRank(model, new int[] {0, 1});
            return true;
        });
    }

    @Test
    void aStepThatAllLeaveBeforeBackwardCountsForNothing() {
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            ddp.step(5 + group.rank()).close();
            try (Step step = ddp.step(0)) {
                assertThatThrownBy(step::sync).hasMessageContaining("no rank has any sample");
            }
            try (Step step = ddp.step(1)) {
                model.backward(new int[] {group.rank()}, 0);
                step.sync();
            }
            assertSteppedLikeOneRank(model, new int[] {0, 1});
            return true;
        });
    }

    @Test
    void aStepThatIsLeftAmongItsMessagesIsTheLast() {
        Ranks.run(2, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, SMALL);
            try (Step first = ddp.step(1)) { // the first step sends no gradients before sync
                model.backward(new int[] {0}, 0);
                first.sync();
                model.descend(0.1);
            }
            Step step = ddp.step(1);
            model.backward(new int[] {0}, 0);
            assertThatThrownBy(step::close).hasMessageContaining("without sync()");
            assertThatThrownBy(() -> ddp.step(1)).hasMessageContaining("out of step");
            group.barrier(); // the messages of that step arrive meanwhile, so that none are pending at the end
            return true;
        });
    }

    @Test
    void wrongUseIsNamed() {
        Ranks.run(1, group -> {
            TinyModel model = new TinyModel(DType.F64, true, 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
            assertThatThrownBy(() -> ddp.step(-1)).hasMessageContaining("-1 samples");
            try (Step step = ddp.step(1)) {
                assertThatThrownBy(() -> ddp.step(1)).hasMessageContaining("was not closed");
                model.backward(new int[] {0}, 0);
                assertThatThrownBy(() -> model.backward(new int[] {0}, 0)).hasMessageContaining("accumulate()");
                step.sync();
                assertThatThrownBy(step::sync).hasMessageContaining("before");
            }
            try (Step step = ddp.step(0)) {
                assertThatThrownBy(step::sync).hasMessageContaining("no rank has any sample");
            }
            assertThatThrownBy(() -> Options.DEFAULTS.withFirstBucketBytes(0))
                    .hasMessageContaining("0 and 26214400 bytes");
            return true;
        });
    }
}
