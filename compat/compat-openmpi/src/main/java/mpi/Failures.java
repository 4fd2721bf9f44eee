package mpi;

import java.util.HashMap;
import java.util.Map;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.dropin.DropIn;

/// Handles errors. Depending on the error handler, an error ends the job, or is thrown with the original's
/// error number.
final class Failures {
    private static final Map<String, Integer> NUMBERS = new HashMap<>();

    static {
        String[] first = {
            "BUFFER",
            "COUNT",
            "TYPE",
            "TAG",
            "COMM",
            "RANK",
            "REQUEST",
            "ROOT",
            "GROUP",
            "OP",
            "TOPOLOGY",
            "DIMS",
            "ARG",
            "UNKNOWN",
            "TRUNCATE",
            "OTHER",
            "INTERN",
            "IN_STATUS",
            "PENDING",
            "ACCESS",
            "AMODE",
            "ASSERT",
            "BAD_FILE",
            "BASE",
            "CONVERSION",
            "DISP",
            "DUP_DATAREP",
            "FILE_EXISTS",
            "FILE_IN_USE",
            "FILE",
            "INFO_KEY",
            "INFO_NOKEY",
            "INFO_VALUE",
            "INFO",
            "IO",
            "KEYVAL",
            "LOCKTYPE",
            "NAME",
            "NO_MEM",
            "NOT_SAME",
            "NO_SPACE",
            "NO_SUCH_FILE",
            "PORT",
            "QUOTA",
            "READ_ONLY",
            "RMA_CONFLICT",
            "RMA_SYNC",
            "SERVICE",
            "SIZE",
            "SPAWN",
            "UNSUPPORTED_DATAREP",
            "UNSUPPORTED_OPERATION",
            "WIN"
        };
        for (int i = 0; i < first.length; i++) NUMBERS.put("ERR_" + first[i], i + 1);
    }

    private Failures() {}

    /// Returns the exception for the caller. Does not return if the handler ends the job; throws `e` itself if
    /// `e` has already ended the job.
    static MPIException of(MpiException e, Errhandler handler) {
        if (e.scope() == MpiException.Scope.JOB) throw e;
        if (LifeCycle.isFinalized()) return new MPIException(0, "MPI is finalized.");
        String name = e.errorClass().name();
        return of(NUMBERS.getOrDefault(name, MPI.ERR_OTHER), "MPI_" + name + ": " + e.getMessage(), handler, e);
    }

    /// As [#of(MpiException, Errhandler)], for an error of Tutti, or a [Mistake] that a helper has found.
    static MPIException of(RuntimeException e, Errhandler handler) {
        if (e instanceof Mistake mistake) return of(mistake.code, mistake.getMessage(), handler, null);
        return of((MpiException) e, handler);
    }

    /// As [#of(MpiException, Errhandler)], for an error that a class of this package has detected.
    static MPIException of(int code, String text, Errhandler handler) {
        return of(code, text, handler, null);
    }

    private static MPIException of(int code, String text, Errhandler handler, Throwable cause) {
        MPIException thrown = new MPIException(code, text);
        if (cause != null) thrown.initCause(cause);
        if (handler != MPI.ERRORS_RETURN && LifeCycle.isInitialized() && !LifeCycle.isFinalized()) {
            DropIn.abort(LifeCycle.mpiOrNull(), code, text);
        }
        return thrown;
    }

    /// Converts an error without a communicator, for which the error handler of the world is used.
    static MPIException of(RuntimeException e) {
        return of(e, MPI.COMM_WORLD.state.errhandler);
    }

    static MPIException of(int code, String text) {
        return of(code, text, MPI.COMM_WORLD.state.errhandler);
    }

    /// Handles a call by which the program invokes the handler directly.
    static void called(int code, Errhandler handler) throws MPIException {
        LifeCycle.mpi();
        if (handler != MPI.ERRORS_RETURN) throw of(code, "the error handler was called with code " + code, handler);
    }

    /// Returns an `UnsupportedOperationException` that begins with the member's name.
    static UnsupportedOperationException unsupported(String member, String why) {
        return new UnsupportedOperationException("mpi." + member + ": " + why);
    }
}
