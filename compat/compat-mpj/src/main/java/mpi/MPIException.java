package mpi;

import mpjdev.MPJDevException;
import org.tutti.mpi.MpiException;

/// What a call throws that cannot do what it was asked for. Unchecked; error handlers change nothing
/// about it.
public class MPIException extends MPJDevException {
    private static final long serialVersionUID = 1;

    public MPIException() {}

    public MPIException(String message) {
        super(message);
    }

    public MPIException(Throwable cause) {
        super(cause);
    }

    /// What a program sees of an error of Tutti's. One that has ended the job stays what it is, so that
    /// a program that catches this class does not go on.
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
