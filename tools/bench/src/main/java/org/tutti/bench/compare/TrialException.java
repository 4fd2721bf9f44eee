package org.tutti.bench.compare;

/// A contender cannot be run; the message is for the reader of the table.
final class TrialException extends Exception {
    private static final long serialVersionUID = 1;

    TrialException(String text) {
        super(text);
    }
}
