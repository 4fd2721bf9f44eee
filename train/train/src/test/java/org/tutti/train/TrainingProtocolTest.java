package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.model.DType;

/// The calls of a training step are checked at the end of the step, on every rank.
class TrainingProtocolTest {
    private static final double RATE = 0.1;

    private static void training(int size, boolean notifies, Body body) {
        Ranks.run(size, group -> {
            TinyModel model = new TinyModel(DType.F64, notifies, 1);
            body.run(
                    group,
                    model,
                    DistributedDataParallel.of(
                            model,
                            group,
                            Options.DEFAULTS.withFirstBucketBytes(16).withBucketBytes(100)));
            return true;
        });
    }

    private interface Body {
        void run(ProcessGroup group, TinyModel model, DistributedDataParallel ddp);
    }

    private static int[] samples(int... numbers) {
        return numbers;
    }

    /// Asserts that the model, which started with initial parameters, is the result of one step with the mean
    /// gradient of these samples.
    private static void assertStepped(TinyModel model, int... of) {
        TinyModel alone = new TinyModel(DType.F64, false, 1);
        alone.backward(of, 0);
        alone.descend(RATE);
        double[] expected = alone.all(), actual = model.all();
        for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i]).isCloseTo(expected[i], org.assertj.core.data.Offset.offset(1e-12));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepWithoutSyncThrowsOnEveryRank(boolean notifies) {
        training(
                2,
                notifies,
                (group, model, ddp) -> assertThatThrownBy(() -> {
                            try (Step _ = ddp.step(3)) {
                                model.backward(samples(group.rank()), 0);
                                model.descend(RATE);
                            }
                        })
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(
                                "step(3) was closed without sync(): the gradients were not averaged over the ranks, so each"
                                        + " rank trains a different model; call sync() after backward, or use accumulate(3) for a"
                                        + " step without synchronization (rank " + group.rank() + " of 2)"));
    }

    @Test
    void aStepWithoutSyncThrowsBeforeTheOptimizerHasUsedIt() {
        training(2, false, (group, model, ddp) -> {
            Step step = ddp.step(1);
            model.backward(samples(group.rank()), 0);
            assertThatThrownBy(step::close).hasMessageContaining("without sync()");
        });
    }

    @Test
    void anExceptionOfTheBodyHasPriority() {
        training(
                2,
                true,
                (group, model, ddp) -> assertThatThrownBy(() -> {
                            try (Step _ = ddp.step(1)) {
                                model.backward(samples(group.rank()), 0);
                                throw new IllegalArgumentException("bad sample");
                            }
                        })
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("bad sample"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void forgottenGradientsOfAccumulatedStepsDoNotCount(boolean notifies) {
        training(2, notifies, (group, model, ddp) -> {
            int r = group.rank();
            try (Step _ = ddp.accumulate(3)) {
                model.backward(samples(10 + r, 20 + r, 30 + r), 0);
            }
            model.forgetGradients();
            try (Step step = ddp.step(1)) {
                model.backward(samples(r), 0);
                step.sync();
                model.descend(RATE);
            }
            assertStepped(model, 0, 1);
        });
    }

    @Test
    void gradientsForgottenInsideTheNextStepDoNotCount() {
        training(2, true, (group, model, ddp) -> {
            int r = group.rank();
            try (Step _ = ddp.accumulate(2)) {
                model.backward(samples(10 + r, 20 + r), 0);
            }
            try (Step step = ddp.step(1)) {
                model.forgetGradients();
                model.backward(samples(r), 0);
                step.sync();
                model.descend(RATE);
            }
            assertStepped(model, 0, 1);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void gradientsThatWereSetToZeroDoNotCount(boolean notifies) {
        training(2, notifies, (group, model, ddp) -> {
            int r = group.rank();
            try (Step _ = ddp.accumulate(2)) {
                model.backward(samples(10 + r, 20 + r), 0);
            }
            zero(model);
            try (Step step = ddp.step(1)) {
                model.backward(samples(r), 0);
                step.sync();
                model.descend(RATE);
            }
            assertStepped(model, 0, 1);
        });
    }

    private static void zero(TinyModel model) {
        for (int i = 0; i < 4; i++) model.scaleGradient(i, 0);
    }

    /// A loss of zero, for example of a hinge loss, has zero gradients, and its samples count nevertheless.
    @Test
    void gradientsThatAreZeroByThemselvesCount() {
        training(2, true, (group, model, ddp) -> {
            int r = group.rank();
            try (Step _ = ddp.accumulate(1)) {
                model.backward(samples(r), 0);
                zero(model);
            }
            try (Step step = ddp.step(1)) {
                model.backward(samples(r), 0);
                step.sync();
            }
            model.descend(2 * RATE);
            assertStepped(model, 0, 1);
        });
    }

    @Test
    void gradientsDiscardedOnOneRankCountOnOtherRanks() {
        training(3, true, (group, model, ddp) -> {
            int r = group.rank();
            try (Step _ = ddp.accumulate(1)) {
                model.backward(samples(10 + r), 0);
                if (r == 1) model.forgetGradients();
            }
            try (Step step = ddp.step(0)) {
                step.sync();
                model.descend(RATE);
            }
            assertStepped(model, 10, 12);
        });
    }

    @Test
    void gradientsOfWhichSomeAreForgottenAreNamedOnAllRanks() {
        training(2, true, (group, model, ddp) -> {
            try (Step _ = ddp.accumulate(1)) {
                model.backward(samples(group.rank()), 0);
            }
            if (group.rank() == 1) model.forgetGradient(TinyModel.B1);
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            model.backward(samples(group.rank()), 0);
                            step.sync();
                        }
                    })
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("step 1: after accumulate() the gradients of some but not all parameters were"
                            + " discarded: hidden.bias on rank 1; discard the gradients of all parameters,"
                            + " after the optimizer's step");
        });
    }

    @Test
    void anOptimizerStepBeforeSyncIsNamedOnAllRanks() {
        training(
                2,
                true,
                (group, model, ddp) -> assertThatThrownBy(() -> {
                            try (Step step = ddp.step(1)) {
                                model.backward(samples(group.rank()), 0);
                                model.descendAndKeep(RATE);
                                step.sync();
                            }
                        })
                        .isInstanceOf(TrainingException.class)
                        .hasMessageStartingWith("step 1: the replicas differ: ")
                        .hasMessageEndingWith(
                                "; parameters were changed before sync() on rank 0, rank 1. Call the optimizer's step"
                                        + " after sync(), and not in a step of accumulate()"));
    }

    @Test
    void anOptimizerStepInAccumulateIsNamedOnAllRanks() {
        training(2, false, (group, model, ddp) -> {
            try (Step _ = ddp.accumulate(1)) {
                model.backward(samples(group.rank()), 0);
                model.descendAndKeep(RATE);
            }
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            model.backward(samples(group.rank()), 0);
                            step.sync();
                        }
                    })
                    .hasMessageContaining("parameters were changed before sync() on rank 0, rank 1.");
        });
    }

    /// All ranks may change parameters in the same way, for example to clamp the weights of a critic.
    @Test
    void parametersThatAllRanksChangeAlikeAreNoMistake() {
        training(2, true, (group, model, ddp) -> {
            for (int k = 0; k < 3; k++) {
                try (Step step = ddp.step(1)) {
                    model.backward(samples(group.rank()), 0);
                    model.parameter(TinyModel.W1, 0, 0.25 * k);
                    step.sync();
                    model.descend(RATE);
                }
            }
        });
    }

    @Test
    void aStepThatTheScalerLeavesOutIsNotForTheOptimizer() {
        training(2, false, (group, model, ddp) -> {
            LossScaler scaler = LossScaler.of(4, 0);
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            model.backward(samples(group.rank()), 0);
                            if (group.rank() == 1) model.gradient(TinyModel.B2, 0, Double.POSITIVE_INFINITY);
                            step.sync(scaler);
                            model.descend(RATE);
                        }
                    })
                    .hasMessage("sync(scaler) returned false in step 1, and the parameters were changed; leave the"
                            + " optimizer's step out: if (step.sync(scaler)) optimizer.step() (rank " + group.rank()
                            + " of 2)");
        });
    }

    @Test
    void aClosedStepTakesNoMoreCalls() {
        training(2, true, (group, model, ddp) -> {
            Step first = ddp.step(1);
            model.backward(samples(group.rank()), 0);
            first.sync();
            model.descend(RATE);
            first.close();
            assertThatThrownBy(() -> first.clipGradNorm(1)).hasMessageContaining("before the step is closed");
            Step second = ddp.step(1);
            first.close(); // does not end the second one
            model.backward(samples(group.rank()), 0);
            second.sync();
            second.close();
            Step third = ddp.step(1);
            third.close();
            assertThatThrownBy(third::sync).hasMessage("Step.sync: the step is closed");
        });
    }

    @Test
    void aStepThatIsNeverClosedIsNamedByClose() {
        training(1, true, (group, model, ddp) -> {
            Step step = ddp.step(1);
            model.backward(samples(0), 0);
            assertThatThrownBy(ddp::close)
                    .hasMessage(
                            "DistributedDataParallel.close: the last step was not closed and not synchronized (rank 0"
                                    + " of 1); use try (Step step = …)");
            assertThatThrownBy(step::close).hasMessageContaining("without sync()");
        });
    }

    @Test
    void anAccumulationThatNoStepSynchronizesIsAWarningAtTheEnd() {
        TinyModel model = new TinyModel(DType.F64, true, 1);
        AccumulatedGradients accumulated = new AccumulatedGradients(model);
        SampleWeights weights = new SampleWeights(true);
        UnsynchronizedEnd end = new UnsynchronizedEnd(weights, accumulated, 1, 4);
        assertThat(end.warning()).isNull();
        weights.next(3);
        model.backward(samples(1, 2, 3), 0);
        accumulated.record();
        assertThat(end.warning())
                .isEqualTo(
                        "the training ends after accumulate(), and no step has synchronized the gradients of 3 samples"
                                + " (rank 1 of 4); end an accumulation with a step() that calls sync(), or discard the"
                                + " gradients");
        end.isLeft(true);
        assertThat(end.warning()).isNull();
        end.isLeft(false);
        model.forgetGradients();
        assertThat(end.warning()).isNull();
    }

    /// Models are usually declared after the group, and therefore closed before the group.
    @Test
    void aModelThatWasClosedBeforeItsGroupIsNotAsked() {
        training(2, false, (group, model, ddp) -> {
            try (Step _ = ddp.accumulate(1)) {
                model.backward(samples(group.rank()), 0);
            }
            model.close();
        });
    }

    @Test
    void allModelsLeaveTheMemoryOfAGroupThoughOneFails() {
        Ranks.run(2, group -> {
            Object owner = new Object();
            GroupMemory memory = new GroupMemory(owner, group);
            StringBuilder run = new StringBuilder();
            memory.allocate(64);
            memory.beforeFree(() -> run.append("first "));
            memory.beforeFree(() -> {
                throw new IllegalStateException("the model is closed");
            });
            memory.beforeFree(() -> run.append("last"));
            assertThatThrownBy(memory::close).hasMessage("the model is closed");
            assertThat(run).hasToString("first last");
            assertThat(memory.isOver()).isTrue();
            java.lang.ref.Reference.reachabilityFence(owner);
            return true;
        });
    }
}
