package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// Everything that can go wrong in a call. Its text says what happened, the values, who, and what to do:
/// `recv: message of 800 bytes from rank 0, tag 7, does not fit into 80 bytes (rank 1 of 4, WORLD)`.
public final class MpiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// How far the damage goes.
    public enum Scope {
        /// A wrong argument: nothing was sent or received, the call may be made again with a right one.
        ARGUMENT,
        /// This message only, a truncation for instance; everything else goes on.
        MESSAGE,
        /// The job: every later call throws this again.
        JOB
    }

    private final Scope scope;
    private final ErrorClass errorClass;
    private final String operation;

    private MpiException(Scope scope, ErrorClass errorClass, String operation, String text, @Nullable Throwable cause) {
        super(text, cause);
        this.scope = scope;
        this.errorClass = errorClass;
        this.operation = operation;
    }

    /// A wrong argument of `operation`, called by `where` (a rank and its communicator, or null).
    public static MpiException argument(
            ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.ARGUMENT, errorClass, operation, text(operation, detail, where), null);
    }

    /// One message that failed.
    public static MpiException message(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.MESSAGE, errorClass, operation, text(operation, detail, where), null);
    }

    /// The end of the job.
    public static MpiException job(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.JOB, errorClass, operation, text(operation, detail, where), null);
    }

    /// The end of the job, for a reason that is itself an exception.
    public static MpiException job(
            ErrorClass errorClass, String operation, String detail, @Nullable Object where, Throwable cause) {
        return new MpiException(Scope.JOB, errorClass, operation, text(operation, detail, where), cause);
    }

    /// The same failure seen from a later or another call: its own stack, the first as the cause.
    public static MpiException again(MpiException first) {
        return new MpiException(
                first.scope, first.errorClass, first.operation, String.valueOf(first.getMessage()), first);
    }

    private static String text(String operation, String detail, @Nullable Object where) {
        return operation + ": " + detail + (where == null ? "" : " (" + where + ")");
    }

    public Scope scope() {
        return scope;
    }

    public ErrorClass errorClass() {
        return errorClass;
    }

    /// The call that failed, in the API's word: `send`, `allreduce`.
    public String operation() {
        return operation;
    }
}
