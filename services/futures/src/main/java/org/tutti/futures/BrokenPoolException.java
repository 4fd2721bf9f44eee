package org.tutti.futures;

/// The pool ended before all tasks were complete, because the job failed or all workers died; or a worker ended
/// before the pool was ready ([RankPool#processes]). The cause of this exception contains the reason.
public final class BrokenPoolException extends PoolException {
    private static final long serialVersionUID = 1;

    BrokenPoolException(String text, Throwable cause) {
        super(text, cause);
    }
}
