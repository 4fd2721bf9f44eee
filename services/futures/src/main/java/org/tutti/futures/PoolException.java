package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// The common supertype of the exceptions of pools and tasks:
///
/// | exception | reason |
/// |---|---|
/// | [TaskFailedException] | the task threw an exception |
/// | [TaskTimeoutException] | the task took longer than [Tasks#withTimeout] allows |
/// | [TaskRefusedException] | a function, an argument or a result cannot be sent, or the pool was closed |
/// | [WorkerLostException] | the worker died during the task |
/// | [BrokenPoolException] | the job failed, or all workers died |
/// | [UnfinishedTasksException] | the pool was closed before all tasks ended |
///
/// [RankFuture#get] and [RankFuture#join] wrap the exception as the cause of an `ExecutionException` or a
/// `CompletionException`. All other methods throw it directly, so that `catch (PoolException e)` handles every
/// failure of a map.
public abstract sealed class PoolException extends RuntimeException
        permits BrokenPoolException,
                TaskFailedException,
                TaskRefusedException,
                TaskTimeoutException,
                UnfinishedTasksException,
                WorkerLostException {
    private static final long serialVersionUID = 1;

    PoolException(String text, @Nullable Throwable cause) {
        super(text, cause);
    }
}
