package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.Test;
import org.tutti.train.model.DType;
import org.tutti.train.torch.tensor.LibTorch;

class AutocastTest {
    private static ScalarType type(Tensor of) {
        return of.scalar_type().intern();
    }

    @Test
    void productsAreShortUntilItIsClosed() {
        LibTorch.load();
        LinearImpl net = new LinearImpl(4, 3);
        Tensor x = torch.ones(2, 4);
        try (Autocast outer = Autocast.open(DType.BF16)) {
            assertThat(type(net.forward(x))).isEqualTo(ScalarType.BFloat16);
            try (Autocast inner = Autocast.open(DType.F16)) {
                assertThat(type(net.forward(x))).isEqualTo(ScalarType.Half);
                inner.close();
            }
            Tensor loss = torch.mse_loss(net.forward(x), torch.zeros(2, 3));
            assertThat(type(loss)).isEqualTo(ScalarType.Float);
            outer.close();
            loss.backward();
        }
        assertThat(type(net.forward(x))).isEqualTo(ScalarType.Float);
        assertThat(type(net.weight().grad())).isEqualTo(ScalarType.Float);
    }

    @Test
    void autocastsMustBeClosedInReverseOrder() throws InterruptedException {
        LibTorch.load();
        try (Autocast outer = Autocast.open(DType.BF16)) {
            try (Autocast inner = Autocast.open(DType.F16)) {
                assertThatThrownBy(outer::close)
                        .hasMessageContaining("this Autocast is not the innermost one of this thread");
                Throwable[] thrown = {null};
                Thread other = Thread.ofPlatform().start(() -> {
                    try {
                        inner.close();
                    } catch (IllegalStateException e) {
                        thrown[0] = e;
                    }
                });
                other.join();
                assertThat(thrown[0]).hasMessageContaining("this Autocast is not the innermost one of this thread");
            }
        }
        assertThat(torch.is_autocast_enabled(torch.DeviceType.CPU)).isFalse();
    }

    @Test
    void acceptsOnlyShortFloats() {
        assertThatThrownBy(() -> Autocast.open(DType.F32)).hasMessage("autocast to F32; it is for BF16 and F16");
    }
}
