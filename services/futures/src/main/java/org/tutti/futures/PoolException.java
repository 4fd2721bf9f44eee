package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// The common supertype of the exceptions of pools and their tasks.
public abstract sealed class PoolException extends RuntimeException
        permits BrokenPoolException,
                TaskFailedException,
                TaskRefusedException,
                TaskTimeoutException,
                WorkerLostException {
    private static final long serialVersionUID = 1;

    PoolException(String text, @Nullable Throwable cause) {
        super(text, cause);
    }
}
