package org.tutti.futures;

/// Thrown at the end of a pool with unfinished tasks: tasks of futures that were cancelled because
/// [RankPool#awaitAll] was not called, or a task that does not end although it was interrupted.
public final class UnfinishedTasksException extends PoolException {
    private static final long serialVersionUID = 1;

    UnfinishedTasksException(String text) {
        super(text, null);
    }
}
