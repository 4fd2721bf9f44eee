package org.tutti.cli.doctor.settings;

/// What a setting does here.
public enum Verdict {
    /// What it says.
    OK("OK"),
    /// Nothing: this version does not know it, or not this value.
    IGNORED("IGNORED"),
    /// Nothing any more.
    REMOVED("REMOVED"),
    /// It ends the job at its start.
    FATAL("FATAL HERE"),
    /// Nothing, in any version there ever was.
    FICTIONAL("FICTIONAL"),
    /// What it says; but it is made for looking for a fault, and left in a script it costs.
    DEBUG_ONLY("DEBUG-ONLY"),
    /// Nobody knows it.
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
