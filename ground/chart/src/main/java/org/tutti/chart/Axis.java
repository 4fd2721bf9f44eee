package org.tutti.chart;

/// What a curve's values are, and how they are laid out.
///
/// @param name written beside the axis; where it is empty, a horizontal axis has no ticks either
public record Axis(String name, Scale scale) {
    /// How far apart values are.
    public enum Scale {
        /// Logarithmic, with ticks at powers of two: `64 Ki`. Ends where the values do.
        BYTES,
        /// Logarithmic, with ticks at 1, 2 and 5 of each power of ten.
        LOGARITHMIC,
        /// Ticks at round numbers. Ends where the values do when it is horizontal, else at ticks.
        LINEAR
    }

    public static Axis bytes(String name) {
        return new Axis(name, Scale.BYTES);
    }

    public static Axis logarithmic(String name) {
        return new Axis(name, Scale.LOGARITHMIC);
    }

    public static Axis linear(String name) {
        return new Axis(name, Scale.LINEAR);
    }

    /// Whether it has a place for the value: a logarithm has none for what is not positive.
    boolean has(double value) {
        return Double.isFinite(value) && (scale == Scale.LINEAR || value > 0);
    }
}
