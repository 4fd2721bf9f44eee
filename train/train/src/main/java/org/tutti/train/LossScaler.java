package org.tutti.train;

/// The factor by which a loss is multiplied before backward, so that small gradients do not vanish in `F16`.
/// [DistributedDataParallel.Step#sync(LossScaler)] divides the gradients by it. When gradients overflow on any
/// rank, all ranks skip the step and halve the factor; after many steps without overflow the factor is doubled.
///
///     LossScaler scaler = LossScaler.defaults();
///     … loss.mul(new Scalar(scaler.scale())).backward();
///     if (step.sync(scaler)) optimizer.step();
///
/// To continue after a restart, store [#scale] and [#goodSteps] in a checkpoint.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/amp.html">PyTorch's GradScaler, with the same numbers</a>
public final class LossScaler {
    private static final double FIRST = 1 << 16, GROWTH = 2, BACKOFF = 0.5;
    private static final long INTERVAL = 2000;

    /// The minimum scale. If gradients overflow even with this scale, the scale is not the cause.
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

    /// Returns a scaler that begins with the scale 65536, and doubles it after 2000 steps without overflow.
    public static LossScaler defaults() {
        return new LossScaler(FIRST, 0);
    }

    /// Returns a scaler that continues with these values, which must be the same on all ranks.
    ///
    /// @param goodSteps the number of steps without overflow since the scale last changed
    public static LossScaler of(double scale, long goodSteps) {
        return new LossScaler(scale, goodSteps);
    }

    public double scale() {
        return scale;
    }

    /// Returns the number of steps without overflow since the scale last changed.
    public long goodSteps() {
        return goodSteps;
    }

    /// Updates the factor after a step, identically on all ranks.
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
