package org.tutti.bench.compare;

/// Something cannot be run here; its text is for the reader of the table.
final class TrialException extends Exception {
    private static final long serialVersionUID = 1;

    TrialException(String text) {
        super(text);
    }
}
