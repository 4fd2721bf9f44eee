package org.tutti.futures;

/// The pool ended before all tasks were complete, because the job failed. The cause of this exception is the
/// reason of the job's failure.
public final class BrokenPoolException extends PoolException {
    private static final long serialVersionUID = 1;

    BrokenPoolException(String text, Throwable cause) {
        super(text, cause);
    }
}
