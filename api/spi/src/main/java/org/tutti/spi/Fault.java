package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// What has gone wrong below the user API, as data: the API makes it a user's exception, in the call that hears
/// of it. Its stack is of no use to a user and is not taken.
public final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// How far the damage goes.
    public enum Scope {
        /// A wrong argument: nothing was sent or received.
        ARGUMENT,
        /// This message only.
        MESSAGE,
        /// This access to a file only; where that is collective, on all its ranks.
        FILE,
        /// The job: every later call fails with the same.
        JOB
    }

    private final Scope scope;
    private final PredefinedErrorClass errorClass;
    private final String operation;
    private volatile @Nullable RuntimeException shown;

    private Fault(
            Scope scope,
            PredefinedErrorClass errorClass,
            String operation,
            String detail,
            @Nullable Object where,
            @Nullable Throwable cause) {
        super(operation + ": " + detail + (where == null ? "" : " (" + where + ")"), cause, false, false);
        this.scope = scope;
        this.errorClass = errorClass;
        this.operation = operation;
    }

    /// A wrong argument of `operation`, called by `where` (a rank and its communicator, or null).
    public static Fault argument(
            PredefinedErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new Fault(Scope.ARGUMENT, errorClass, operation, detail, where, null);
    }

    /// The same, with what has caused it.
    public static Fault argument(
            PredefinedErrorClass errorClass,
            String operation,
            String detail,
            @Nullable Object where,
            @Nullable Throwable cause) {
        return new Fault(Scope.ARGUMENT, errorClass, operation, detail, where, cause);
    }

    /// One message that failed.
    public static Fault message(
            PredefinedErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new Fault(Scope.MESSAGE, errorClass, operation, detail, where, null);
    }

    /// An access to a file that failed.
    public static Fault file(
            PredefinedErrorClass errorClass,
            String operation,
            String detail,
            @Nullable Object where,
            @Nullable Throwable cause) {
        return new Fault(Scope.FILE, errorClass, operation, detail, where, cause);
    }

    /// The end of the job.
    public static Fault job(PredefinedErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new Fault(Scope.JOB, errorClass, operation, detail, where, null);
    }

    /// The end of the job, for a reason that is itself an exception.
    public static Fault job(
            PredefinedErrorClass errorClass,
            String operation,
            String detail,
            @Nullable Object where,
            @Nullable Throwable cause) {
        return new Fault(Scope.JOB, errorClass, operation, detail, where, cause);
    }

    public Scope scope() {
        return scope;
    }

    public PredefinedErrorClass errorClass() {
        return errorClass;
    }

    /// The call that failed, in the API's word: `send`, `allreduce`.
    public String operation() {
        return operation;
    }

    /// For the API: the exception that a user saw of it first; null while none has.
    public @Nullable RuntimeException shown() {
        return shown;
    }

    /// For the API: a user sees it as `exception`, the first time.
    public void show(RuntimeException exception) {
        if (shown == null) shown = exception;
    }
}
