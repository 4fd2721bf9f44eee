package org.tutti.train.torch;

import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.DType;
import org.tutti.train.torch.tensor.LibTorch;

/// While this object is open, libtorch computes matrix products and convolutions of this thread on the CPU in
/// 16 bits, and operations that need more digits, such as losses and norms, in `F32`. Operations on a GPU,
/// parameters, gradients and the optimizer do not change. Use it for forward and the loss; backward uses the
/// same types as forward.
///
///     Tensor loss;
///     try (Autocast cast = Autocast.open(DType.BF16)) {
///         loss = cross_entropy(net.forward(x), y);
///     }
///     loss.backward();
///
/// `F16` has a small range: see [org.tutti.train.LossScaler].
///
/// @see <a href="https://docs.pytorch.org/docs/stable/amp.html">PyTorch's torch.autocast</a>
public final class Autocast implements AutoCloseable {
    /// The innermost open autocast of each thread.
    private static final ThreadLocal<Autocast> INNERMOST = new ThreadLocal<>();

    private final @Nullable Autocast outer = INNERMOST.get();
    private final boolean wasEnabled;
    private final ScalarType typeBefore;
    private boolean isClosed;

    private Autocast(ScalarType type) {
        wasEnabled = torch.is_autocast_enabled(DeviceType.CPU);
        typeBefore = torch.get_autocast_dtype(DeviceType.CPU);
        torch.increment_nesting();
        torch.clear_cache(); // has a different type if an outer autocast is open
        torch.set_autocast_dtype(DeviceType.CPU, type);
        torch.set_autocast_enabled(DeviceType.CPU, true);
        INNERMOST.set(this);
    }

    /// @param dtype `BF16` or `F16`
    public static Autocast open(DType dtype) {
        if (dtype != DType.BF16 && dtype != DType.F16) {
            throw new IllegalArgumentException("autocast to " + dtype + "; it is for BF16 and F16");
        }
        LibTorch.load();
        return new Autocast(dtype == DType.BF16 ? ScalarType.BFloat16 : ScalarType.Half);
    }

    /// Ends the autocast, on the thread that has opened it.
    ///
    /// @throws IllegalStateException on a different thread, or if an autocast opened later is still open
    @Override
    public void close() {
        if (isClosed) return;
        if (INNERMOST.get() != this) {
            throw new IllegalStateException("this Autocast is not the innermost one of this thread; close the"
                    + " inner ones first, on the thread that opened them: use try (Autocast cast = …)");
        }
        isClosed = true;
        if (outer == null) INNERMOST.remove();
        else INNERMOST.set(outer);
        torch.set_autocast_enabled(DeviceType.CPU, wasEnabled);
        torch.set_autocast_dtype(DeviceType.CPU, typeBefore);
        torch.decrement_nesting();
        torch.clear_cache(); // 16-bit copies of parameters, which are stale after the optimizer's step
    }
}
