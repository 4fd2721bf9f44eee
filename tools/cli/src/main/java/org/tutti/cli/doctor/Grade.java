package org.tutti.cli.doctor;

/// The severity of a finding.
public enum Grade {
    OK("ok"),
    /// Everything works, but is probably not as intended.
    WARN("WARN"),
    /// An operation will fail.
    FAILS("FAILS");

    private final String words;

    Grade(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
