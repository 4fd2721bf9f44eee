package org.tutti.train;

/// The factor by which a loss is multiplied before backward, so that small gradients do not vanish in `F16`.
/// [DistributedDataParallel.Step#sync(LossScaler)] takes it out of the gradients again. When they overflow,
/// on any rank, all ranks leave the step out and halve it; after many steps without, they double it.
///
///     LossScaler scaler = LossScaler.defaults();
///     … loss.mul(new Scalar(scaler.scale())).backward();
///     if (step.sync(scaler)) optimizer.step();
///
/// To go on after a restart with what it was: [#scale] and [#goodSteps] belong into a checkpoint.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/amp.html">PyTorch's GradScaler, with the same numbers</a>
public final class LossScaler {
    private static final double FIRST = 1 << 16, GROWTH = 2, BACKOFF = 0.5;
    private static final long INTERVAL = 2000;

    /// Gradients that overflow even so are not finite by themselves.
    private static final double LEAST = 0x1p-100;

    private double scale;
    private long goodSteps;

    private LossScaler(double scale, long goodSteps) {
        if (!(scale >= LEAST) || Double.isInfinite(scale) || goodSteps < 0) {
            throw new IllegalArgumentException("a scale of " + scale + " after " + goodSteps + " good steps");
        }
        this.scale = scale;
        this.goodSteps = goodSteps;
    }

    /// Begins with 65536, and doubles after 2000 steps.
    public static LossScaler defaults() {
        return new LossScaler(FIRST, 0);
    }

    /// One that goes on; all ranks give the same.
    ///
    /// @param goodSteps since the last change
    public static LossScaler of(double scale, long goodSteps) {
        return new LossScaler(scale, goodSteps);
    }

    public double scale() {
        return scale;
    }

    /// Steps since the last change.
    public long goodSteps() {
        return goodSteps;
    }

    /// A step has ended, on all ranks alike.
    void update(boolean finite) {
        if (!finite) {
            scale = Math.max(LEAST, scale * BACKOFF);
            goodSteps = 0;
        } else if (++goodSteps == INTERVAL) {
            scale *= GROWTH;
            goodSteps = 0;
        }
    }
}
