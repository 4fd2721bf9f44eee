package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.JobException;
import org.tutti.job.process.ApiNames;
import org.tutti.spi.Fault;

/// Everything that can go wrong in a call. Its text says what happened, the values, who, and what to do:
/// `recv: message of 800 bytes from rank 0, tag 7, does not fit into 80 bytes (rank 1 of 4, WORLD)`. What it
/// returns is local. MPI 4.1, chapter 9.
public final class MpiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// How far the damage goes.
    public enum Scope {
        /// A wrong argument: nothing was sent or received, the call may be made again with a right one.
        ARGUMENT,
        /// This message only, a truncation for instance; everything else goes on.
        MESSAGE,
        /// This access to a file only, on all ranks of a collective one; pointers are where they were.
        FILE,
        /// The job: every later call throws this again.
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

    /// What [Comm#error] makes.
    static MpiException user(ErrorCode code, String operation, String detail, Object where) {
        String text = text(operation, code + ": " + detail, where);
        return new MpiException(Scope.ARGUMENT, code.errorClass(), code, operation, text, null);
    }

    /// A wrong argument of `operation`, called by `where` (a rank and its communicator, or null).
    static MpiException argument(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.ARGUMENT, errorClass, operation, text(operation, detail, where), null);
    }

    /// One message that failed.
    static MpiException message(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.MESSAGE, errorClass, operation, text(operation, detail, where), null);
    }

    /// The end of the job.
    static MpiException job(ErrorClass errorClass, String operation, String detail, @Nullable Object where) {
        return new MpiException(Scope.JOB, errorClass, operation, text(operation, detail, where), null);
    }

    /// The end of the job, for a reason that is itself an exception.
    static MpiException job(
            ErrorClass errorClass, String operation, String detail, @Nullable Object where, Throwable cause) {
        return new MpiException(Scope.JOB, errorClass, operation, text(operation, detail, where), cause);
    }

    /// The same failure seen from a later or another call: its own stack, the first as the cause.
    static MpiException again(MpiException first) {
        String text = String.valueOf(first.getMessage());
        return new MpiException(first.scope, first.errorClass, first.errorCode, first.operation, text, first);
    }

    /// What a caller sees of a fault: the stack of its own call. When the fault was seen before, that
    /// exception is the cause.
    static MpiException of(Fault fault) {
        return of(fault, "");
    }

    /// @param more what else is known, at the end of its text
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

    /// The end of a process that found no place in a job.
    static MpiException of(JobException refused) {
        return new MpiException(
                Scope.JOB, ErrorClass.ERR_OTHER, "init", String.valueOf(refused.getMessage()), refused.getCause());
    }

    private static String text(String operation, String detail, @Nullable Object where) {
        return operation + ": " + detail + (where == null ? "" : " (" + where + ")");
    }

    /// Returns how far the damage goes.
    public Scope scope() {
        return scope;
    }

    /// Returns what kind of error it is. `MPI_Error_class`, MPI 4.1, section 9.4.
    public ErrorClass errorClass() {
        return errorClass;
    }

    /// Returns which error of a library on top of MPI it is; null for those of MPI itself. MPI 4.1, section
    /// 9.5.
    public @Nullable ErrorCode errorCode() {
        return errorCode;
    }

    /// Returns the call that failed, in the API's word: `send`, `allreduce`.
    public String operation() {
        return operation;
    }

    /// The failure of an activity as its caller sees it: with the stack of the caller's call, and the failure
    /// as its cause.
    static Throwable seenByCaller(Throwable why) {
        return switch (why) {
            case Fault fault -> of(fault);
            case MpiException seen -> again(seen);
            default -> why;
        };
    }

    /// The same, as an unchecked exception.
    static RuntimeException asRuntime(Throwable why) {
        return unchecked(seenByCaller(why));
    }

    /// Returns `why` as an unchecked exception; throws it when it is an error.
    static RuntimeException unchecked(Throwable why) {
        if (why instanceof Error e) throw e;
        return why instanceof RuntimeException e ? e : new IllegalStateException(why);
    }
}
