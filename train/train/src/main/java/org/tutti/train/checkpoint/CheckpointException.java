package org.tutti.train.checkpoint;

import java.io.IOException;

/// A file that is not what it must be.
public final class CheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    public CheckpointException(String message) {
        super(message);
    }
}
