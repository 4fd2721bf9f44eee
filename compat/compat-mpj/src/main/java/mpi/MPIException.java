package mpi;

import mpjdev.MPJDevException;
import org.tutti.mpi.MpiException;

/// An error of a call. Unchecked; error handlers have no effect on it.
public class MPIException extends MPJDevException {
    private static final long serialVersionUID = 1;

    public MPIException() {}

    public MPIException(String message) {
        super(message);
    }

    public MPIException(Throwable cause) {
        super(cause);
    }

    /// Converts an error of Tutti. An error that has ended the job is not converted, so that a program that
    /// catches this class does not continue.
    static RuntimeException of(MpiException e) {
        if (e.scope() == MpiException.Scope.JOB) return e;
        return of(MPI.hasLeft() ? "MPI.Finalize was called before" : String.valueOf(e.getMessage()), e);
    }

    static MPIException of(String message, Throwable cause) {
        MPIException seen = new MPIException(message);
        seen.initCause(cause);
        return seen;
    }
}
