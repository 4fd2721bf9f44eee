package org.tutti.chart;

/// The quantity and the scale of an axis.
///
/// @param name the label; if empty, a horizontal axis has no ticks either
public record Axis(String name, Scale scale) {
    /// The spacing of values.
    public enum Scale {
        /// Logarithmic, with ticks at powers of two: `64 Ki`. The range is the range of the values.
        BYTES,
        /// Logarithmic, with ticks at 1, 2 and 5 of each power of ten.
        LOGARITHMIC,
        /// Ticks at round numbers. A horizontal axis ends at the range of the values, a vertical axis at ticks.
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

    /// Returns whether the value can be shown: a logarithmic axis shows only positive values.
    boolean has(double value) {
        return Double.isFinite(value) && (scale == Scale.LINEAR || value > 0);
    }
}
