package mpi;

/// An error that a helper has found in the arguments of a call. The called class catches it and applies the
/// error handler of the communicator, window or file; see [Failures]. It never reaches the program.
final class Mistake extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// One of the `ERR_` numbers of [MPI].
    final int code;

    Mistake(int code, String text) {
        super(text, null, false, false);
        this.code = code;
    }
}
