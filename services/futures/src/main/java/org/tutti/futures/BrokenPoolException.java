package org.tutti.futures;

/// The pool has ended before its tasks have, because the job has failed; the cause says of what.
public final class BrokenPoolException extends PoolException {
    private static final long serialVersionUID = 1;

    BrokenPoolException(String text, Throwable cause) {
        super(text, cause);
    }
}
