package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.JobException;
import org.tutti.job.process.ApiNames;
import org.tutti.spi.Fault;

/// The error of a call. The message states the problem, the values, the rank, and the way to avoid the error.
/// An example is `recv: message of 800 bytes from rank 0, tag 7, does not fit into 80 bytes (rank 1 of 4,
/// WORLD)`. All methods are local. MPI 4.1, chapter 9.
public final class MpiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// The scope of the error.
    public enum Scope {
        /// A wrong argument: no data was sent or received, and the call can be repeated with a correct
        /// argument.
        ARGUMENT,
        /// One message failed, for example because it was truncated; the job continues.
        MESSAGE,
        /// One access to a file failed; if the access is collective, it failed on all ranks. [MpiFile]
        /// documents which file pointers have moved.
        FILE,
        /// The job failed: every later call throws this failure again.
        JOB
    }

    private final Scope scope;
    private final ErrorClass errorClass;
    private final @Nullable ErrorCode errorCode;
    private final String operation;

    private MpiException(Scope scope, ErrorClass errorClass, String operation, String text, @Nullable Throwable cause) {
        this(scope, errorClass, null, operation, text, cause);
    }

    private MpiException(
            Scope scope,
            ErrorClass errorClass,
            @Nullable ErrorCode errorCode,
            String operation,
            String text,
            @Nullable Throwable cause) {
        super(ApiNames.inRank(text), cause);
        this.scope = scope;
        this.errorClass = errorClass;
        this.errorCode = errorCode;
        this.operation = operation;
    }

    /// Creates the exception that [Comm#error] returns.
    static MpiException user(ErrorCode code, String operation, String detail, Object where) {
        String text = text(operation, code + ": " + detail, where);
        return new MpiException(Scope.ARGUMENT, code.errorClass(), code, operation, text, null);
    }

    /// Creates an exception for a wrong argument of `operation`.
    ///
    /// @param where a rank and a communicator, or null
    static MpiException argument(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.ARGUMENT, errorClass, operation, text(operation, detail, where), null);
    }

    /// Creates an exception for the failure of one message.
    static MpiException message(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.MESSAGE, errorClass, operation, text(operation, detail, where), null);
    }

    /// Creates an exception that ends the job.
    static MpiException job(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.JOB, errorClass, operation, text(operation, detail, where), null);
    }

    /// Creates an exception that ends the job, with a cause.
    static MpiException job(
            ErrorClass errorClass, String operation, String detail, @Nullable Object where, Throwable cause) {
        return new MpiException(Scope.JOB, errorClass, operation, text(operation, detail, where), cause);
    }

    /// Creates an exception for the same failure in a different call, with the stack trace of that call and the
    /// first exception as the cause.
    static MpiException again(MpiException first) {
        String text = String.valueOf(first.getMessage());
        return new MpiException(first.scope, first.errorClass, first.errorCode, first.operation, text, first);
    }

    /// Creates an exception for a fault, with the stack trace of the caller. If an exception for this fault has
    /// already been thrown, that exception is the cause.
    static MpiException of(Fault fault) {
        return of(fault, "");
    }

    /// @param more additional information, which is appended to the message
    static MpiException of(Fault fault, String more) {
        RuntimeException before = fault.shown();
        Scope scope = switch (fault.scope()) {
            case ARGUMENT -> Scope.ARGUMENT;
            case MESSAGE -> Scope.MESSAGE;
            case FILE -> Scope.FILE;
            case JOB -> Scope.JOB;
        };
        MpiException seen = new MpiException(
                scope,
                ErrorClass.of(fault.errorClass()),
                fault.operation(),
                fault.getMessage() + more,
                before == null ? fault.getCause() : before);
        fault.show(seen);
        return seen;
    }

    /// Creates the exception for a process that cannot determine its position in a job.
    static MpiException of(JobException refused) {
        return new MpiException(
                Scope.JOB, ErrorClass.ERR_OTHER, "init", String.valueOf(refused.getMessage()), refused.getCause());
    }

    private static String text(String operation, String detail, @Nullable Object where) {
        return operation + ": " + detail + (where == null ? "" : " (" + where + ")");
    }

    /// Returns the scope of the error.
    public Scope scope() {
        return scope;
    }

    /// Returns the class of the error. `MPI_Error_class`, MPI 4.1, section 9.4.
    public ErrorClass errorClass() {
        return errorClass;
    }

    /// Returns the error code if the error is from a library on top of MPI; null for errors of MPI. MPI 4.1,
    /// section 9.5.
    public @Nullable ErrorCode errorCode() {
        return errorCode;
    }

    /// Returns the name, in the API, of the call that failed, for example `send` or `allreduce`.
    public String operation() {
        return operation;
    }

    /// Converts the failure of an activity to an exception for the caller, which has the stack trace of the
    /// call, and the failure as the cause.
    static Throwable seenByCaller(Throwable why) {
        return switch (why) {
            case Fault fault -> of(fault);
            case MpiException seen -> again(seen);
            default -> why;
        };
    }

    /// Converts a failure as [#seenByCaller] does, to an unchecked exception.
    static RuntimeException asRuntime(Throwable why) {
        return unchecked(seenByCaller(why));
    }

    /// Returns `why` as an unchecked exception. Throws `why` if it is an [Error].
    static RuntimeException unchecked(Throwable why) {
        if (why instanceof Error e) throw e;
        return why instanceof RuntimeException e ? e : new IllegalStateException(why);
    }
}
