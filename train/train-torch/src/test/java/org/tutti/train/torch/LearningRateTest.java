package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.bytedeco.pytorch.OptimizerParamGroup;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.junit.jupiter.api.Test;
import org.tutti.train.torch.Trials.Net;
import org.tutti.train.torch.tensor.LibTorch;

final class LearningRateTest {
    @Test
    void eachGroupHasItsRate() {
        LibTorch.load();
        Net net = new Net(1);
        SGD optimizer = new SGD(net.out.parameters(), new SGDOptions(0.1));
        optimizer.add_param_group(new OptimizerParamGroup(net.hidden.parameters()));
        LearningRate.set(optimizer, 1, 0.01);
        assertThat(LearningRate.get(optimizer)).isEqualTo(0.1);
        assertThat(LearningRate.get(optimizer, 1)).isEqualTo(0.01);
        LearningRate.scale(optimizer, 0.5);
        assertThat(LearningRate.get(optimizer, 0)).isCloseTo(0.05, within(1e-15));
        assertThat(LearningRate.get(optimizer, 1)).isCloseTo(0.005, within(1e-15));
        LearningRate.set(optimizer, 0.2);
        assertThat(LearningRate.get(optimizer, 1)).isEqualTo(0.2);
        assertThatThrownBy(() -> LearningRate.set(optimizer, 2, 0.1))
                .hasMessage("LearningRate.set: group 2 of an optimizer with 2 groups of parameters");
        assertThatThrownBy(() -> LearningRate.scale(optimizer, -1)).hasMessage("a factor of -1.0 for learning rates");
    }

    /// The parameters of the group with a rate of 0 do not change; the parameters of the other group do.
    @Test
    void theRatesAreThoseOfTheStep() {
        LibTorch.load();
        Net net = new Net(1);
        float[] before = net.parameterValues().get(3),
                bodyBefore = net.parameterValues().get(1);
        SGD optimizer = new SGD(net.out.parameters(), new SGDOptions(0.1));
        optimizer.add_param_group(new OptimizerParamGroup(net.hidden.parameters()));
        LearningRate.set(optimizer, 1, 0);
        net.loss(1, 2, 3).backward();
        optimizer.step();
        assertThat(net.parameterValues().get(3)).isNotEqualTo(before);
        assertThat(net.parameterValues().get(1)).isEqualTo(bodyBefore);
    }
}
