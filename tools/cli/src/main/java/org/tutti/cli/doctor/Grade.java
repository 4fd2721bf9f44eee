package org.tutti.cli.doctor;

/// How bad a finding is.
public enum Grade {
    OK("ok"),
    /// Nothing fails, but something is not as most people want it.
    LOOK("LOOK"),
    /// Something will fail.
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
