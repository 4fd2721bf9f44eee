package org.tutti.cli.doctor.settings;

import org.jspecify.annotations.Nullable;

/// The evaluation of a setting.
///
/// @param since the version that removed the setting; null if unknown, and for verdicts other than
///     [Verdict#REMOVED]
/// @param meaning the effect, or the reason why the setting has no effect
/// @param remedy the solution; or null
public record Evaluation(
        Setting setting,
        Verdict verdict,
        @Nullable String since,
        String meaning,
        @Nullable String remedy) {
    /// Returns `REMOVED since 3.0`.
    public String words() {
        return since == null ? verdict.toString() : verdict + " since " + since;
    }
}
