package org.tutti.train.checkpoint;

import java.io.IOException;

/// A file has invalid contents.
public final class CheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    public CheckpointException(String message) {
        super(message);
    }
}
