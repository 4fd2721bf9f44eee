package org.tutti.futures;

/// Thrown if the program passes something that cannot be a task: a function that other ranks cannot resolve by
/// name, a captured `this` with fields, an argument or a result that is not a value, or a task submitted by a
/// task of the same pool. Also thrown if the pool or the shared value is closed. The message states the problem,
/// the line, and the alternative.
public final class TaskRefusedException extends PoolException {
    private static final long serialVersionUID = 1;

    TaskRefusedException(String text) {
        super(text, null);
    }
}
