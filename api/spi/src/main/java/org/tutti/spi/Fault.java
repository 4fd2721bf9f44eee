package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// A failure below the user API, as data. The API converts it to an exception in the call that reports it. A
/// fault has no stack trace, because a stack trace would not help a user.
public final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// The scope of the failure.
    public enum Scope {
        /// A wrong argument: no data was sent or received.
        ARGUMENT,
        /// One message failed.
        MESSAGE,
        /// One access to a file failed; if the access is collective, it failed on all ranks of the file.
        FILE,
        /// The job failed: every later call fails with the same fault.
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

    /// Creates a fault for a wrong argument of `operation`.
    ///
    /// @param where a rank and a communicator, or null
    public static Fault argument(
            PredefinedErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new Fault(Scope.ARGUMENT, errorClass, operation, detail, where, null);
    }

    /// Creates a fault for a wrong argument, with the cause.
    public static Fault argument(
            PredefinedErrorClass errorClass,
            String operation,
            String detail,
            @Nullable Object where,
            @Nullable Throwable cause) {
        return new Fault(Scope.ARGUMENT, errorClass, operation, detail, where, cause);
    }

    /// Creates a fault that concerns only a single message.
    public static Fault message(
            PredefinedErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new Fault(Scope.MESSAGE, errorClass, operation, detail, where, null);
    }

    /// Creates a fault of an access to a file.
    public static Fault file(
            PredefinedErrorClass errorClass,
            String operation,
            String detail,
            @Nullable Object where,
            @Nullable Throwable cause) {
        return new Fault(Scope.FILE, errorClass, operation, detail, where, cause);
    }

    /// Creates a fault that ends the job.
    public static Fault job(PredefinedErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new Fault(Scope.JOB, errorClass, operation, detail, where, null);
    }

    /// Creates a fault that ends the job and was caused by an exception.
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

    /// Returns the name, in the API, of the call that failed, for example `send` or `allreduce`.
    public String operation() {
        return operation;
    }

    /// Returns the first exception that the API has created from this fault; null before that. Used only by the
    /// API.
    public @Nullable RuntimeException shown() {
        return shown;
    }

    /// Stores the first exception that the API has created from this fault. Used only by the API.
    public void show(RuntimeException exception) {
        if (shown == null) shown = exception;
    }
}
