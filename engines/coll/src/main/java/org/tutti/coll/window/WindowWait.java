package org.tutti.coll.window;

import org.tutti.spi.LocalWait;

/// A wait ended by other ranks of the same window.
public abstract class WindowWait implements LocalWait {
    private final String operation;
    private boolean isOver;

    /// @param operation see [LocalWait#operation]
    protected WindowWait(String operation) {
        this.operation = operation;
    }

    /// Reads the counters of the window once. Returns whether the wait is over. The method is not called again
    /// after it has returned true.
    protected abstract boolean checkOver();

    @Override
    public final boolean isOver() {
        if (!isOver) isOver = checkOver();
        return isOver;
    }

    @Override
    public final String operation() {
        return operation;
    }

    @Override
    public final boolean completesByMessages() {
        return true;
    }
}
