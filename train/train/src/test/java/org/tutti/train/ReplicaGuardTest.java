package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.tutti.train.model.DType;

class ReplicaGuardTest {
    @Test
    void theRankAndTheTensorThatDifferAreNamed() {
        Ranks.run(3, group -> {
            TinyModel model = new TinyModel(DType.F32, false, 1);
            ReplicaGuard guard = ReplicaGuard.of(group, 10);
            guard.check(10, model.parameters());
            if (group.rank() == 1)
                model.parameter(TinyModel.B2, 2, Math.nextUp((float) model.parameter(TinyModel.B2, 2)));
            assertThatCode(() -> guard.check(11, model.parameters())).doesNotThrowAnyException();
            assertThatThrownBy(() -> guard.check(20, model.parameters()))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageStartingWith("step 20: the replicas differ: rank 1 in out.bias (compared");
            assertThatThrownBy(() -> guard.check(30, model.parameters().subList(0, group.rank() == 2 ? 3 : 4)))
                    .hasMessage("step 30: rank 2 has 3 tensors and rank 0 4");
            return true;
        });
    }

    @Test
    void aPeriodMustBePositive() {
        assertThatThrownBy(() -> Ranks.run(1, group -> ReplicaGuard.of(group, 0)))
                .hasStackTraceContaining("a check every 0 steps");
    }
}
