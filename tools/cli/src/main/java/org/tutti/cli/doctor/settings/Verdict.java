package org.tutti.cli.doctor.settings;

/// The effect of a setting.
public enum Verdict {
    /// The documented effect.
    OK("OK"),
    /// No effect: this version does not support the name or the value.
    IGNORED("IGNORED"),
    /// No effect in this version; supported in earlier versions.
    REMOVED("REMOVED"),
    /// Ends the job at the start.
    FATAL("FATAL HERE"),
    /// No effect in any version.
    FICTIONAL("FICTIONAL"),
    /// The documented effect, but intended for debugging and expensive if left in a script.
    DEBUG_ONLY("DEBUG-ONLY"),
    /// Unknown.
    UNKNOWN("UNKNOWN");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
