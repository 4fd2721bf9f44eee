package mpi;

/// An error of a call, with the error handler `ERRORS_RETURN`.
public final class MPIException extends Exception {
    private static final long serialVersionUID = 1;

    /// The error class and the error code, which are the same number: one of `MPI.ERR_…`.
    private final int code;

    public MPIException(Throwable cause) {
        super(cause);
        code = 0;
    }

    public MPIException(String message) {
        super(message);
        code = 0;
    }

    MPIException(int code, String message) {
        super(message);
        this.code = code;
    }

    public int getErrorClass() {
        return code;
    }

    public int getErrorCode() {
        return code;
    }
}
