package org.tutti.train.torch.graph.file;

import java.util.List;

/// @param dtype the type, in the file's numbering
/// @param sizes integers, names or expressions of symbols
public record TensorMeta(int dtype, List<Size> sizes, boolean requiresGradient, String device) {
    /// A fixed size, or an expression such as `2*s43`.
    public sealed interface Size {
        record Fixed(long value) implements Size {}

        /// @param text without `Symbol(…)`: `s43`, `2*s43 + 1`, `Max(1, s3)`
        /// @param hint the size at export, or -1
        record Expression(String text, long hint) implements Size {}
    }
}
