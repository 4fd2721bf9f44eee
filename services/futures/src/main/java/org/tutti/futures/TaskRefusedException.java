package org.tutti.futures;

/// Something that cannot be a task: a function without a name, a captured `this` with fields, an
/// argument or a result that is no value, a task given by a task. Its text says what, where, and what to
/// do instead.
public final class TaskRefusedException extends PoolException {
    private static final long serialVersionUID = 1;

    TaskRefusedException(String text) {
        super(text, null);
    }
}
