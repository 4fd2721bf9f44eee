package org.tutti.cli.doctor.settings;

import org.jspecify.annotations.Nullable;

/// What was found of a setting.
///
/// @param since the version in which it went; null but for some that are [Verdict#REMOVED]
/// @param meaning what it does, or why nothing
/// @param remedy what to do; null where nothing is wrong
public record Evaluation(
        Setting setting,
        Verdict verdict,
        @Nullable String since,
        String meaning,
        @Nullable String remedy) {
    /// `REMOVED since 3.0`.
    public String words() {
        return since == null ? verdict.toString() : verdict + " since " + since;
    }
}
