package org.tutti.mpi;

import java.io.Serializable;

/// One error of a library on top of MPI, finer than its class: which one, and what is said of it. Codes are
/// compared by `==`. MPI 4.1, section 9.5.
public final class ErrorCode implements Serializable {
    private static final long serialVersionUID = 1;

    private final ErrorClass errorClass;
    private final String text;

    private ErrorCode(ErrorClass errorClass, String text) {
        this.errorClass = errorClass;
        this.text = text;
    }

    /// Makes a new code of a class, which may be one of the standard's. As a class, it is removed by
    /// forgetting it. Local. `MPI_Add_error_code` and `MPI_Add_error_string`, MPI 4.1, section 9.5.
    ///
    /// @param text what messages say: `the iteration diverged`
    public static ErrorCode of(ErrorClass errorClass, String text) {
        Arguments.given("ErrorCode.of", "errorClass", errorClass);
        Arguments.given("ErrorCode.of", "text", text);
        return new ErrorCode(errorClass, text);
    }

    /// Returns the class that it belongs to. Local.
    public ErrorClass errorClass() {
        return errorClass;
    }

    /// Returns what messages say of it. Local. `MPI_Error_string`, MPI 4.1, section 9.3.5.
    public String text() {
        return text;
    }

    /// `ERR_SOLVER, the iteration diverged`.
    @Override
    public String toString() {
        return errorClass + ", " + text;
    }
}
