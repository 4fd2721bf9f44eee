package mpjdev;

import xdev.XDevException;

/// The superclass of [mpi.MPIException], for programs that catch it.
public class MPJDevException extends XDevException {
    private static final long serialVersionUID = 1;

    public MPJDevException() {}

    public MPJDevException(String message) {
        super(message);
    }

    public MPJDevException(Throwable cause) {
        super(cause);
    }
}
