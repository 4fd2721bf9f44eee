package org.tutti.chart;

/// The quantity and the scale of an axis.
///
/// @param name the label; if it is empty, a horizontal axis has no ticks either
public record Axis(String name, Scale scale) {
    /// The spacing of values.
    public enum Scale {
        /// Logarithmic, with ticks at powers of two, for example `64 Ki`. The axis has the range of the values.
        BYTES,
        /// Logarithmic, with ticks at 1, 2 and 5 of each power of ten.
        LOGARITHMIC,
        /// Linear, with ticks at round numbers. A horizontal axis has the range of the values; a vertical axis
        /// begins and ends at ticks.
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

    /// Returns whether the axis can show the value: a logarithmic axis shows only positive values.
    boolean has(double value) {
        return Double.isFinite(value) && (scale == Scale.LINEAR || value > 0);
    }
}
