package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LossScalerTest {
    @Test
    void doublesAfterManyGoodStepsAndHalvesAfterABadOne() {
        LossScaler scaler = LossScaler.defaults();
        for (int i = 0; i < 1999; i++) scaler.update(true);
        assertThat(scaler.scale()).isEqualTo(65536);
        LossScaler resumed = LossScaler.of(scaler.scale(), scaler.goodSteps());
        resumed.update(true);
        assertThat(resumed.scale()).isEqualTo(131072);
        assertThat(resumed.goodSteps()).isZero();
        scaler.update(false);
        assertThat(scaler.scale()).isEqualTo(32768);
        assertThat(scaler.goodSteps()).isZero();
    }

    @Test
    void refusesAScaleThatIsNone() {
        assertThatThrownBy(() -> LossScaler.of(0, 0)).hasMessage("a scale of 0.0 after 0 good steps");
        assertThatThrownBy(() -> LossScaler.of(1, -1)).hasMessage("a scale of 1.0 after -1 good steps");
    }
}
