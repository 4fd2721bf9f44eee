package org.tutti.mpi;

import java.io.Serializable;

/// A specific error of a library on top of MPI, with a text. Several codes can have the same error class. Codes
/// are compared by `==`. MPI 4.1, section 9.5.
public final class ErrorCode implements Serializable {
    private static final long serialVersionUID = 1;

    private final ErrorClass errorClass;
    private final String text;

    private ErrorCode(ErrorClass errorClass, String text) {
        this.errorClass = errorClass;
        this.text = text;
    }

    /// Creates a code of a class, which may be a class of the standard. The code is not registered, so the
    /// program need not remove it. Local. `MPI_Add_error_code` and `MPI_Add_error_string`, MPI 4.1, section
    /// 9.5.
    ///
    /// @param text the text of the error, for example `the iteration diverged`
    public static ErrorCode of(ErrorClass errorClass, String text) {
        Arguments.given("ErrorCode.of", "errorClass", errorClass);
        Arguments.given("ErrorCode.of", "text", text);
        return new ErrorCode(errorClass, text);
    }

    /// Returns the error class. Local.
    public ErrorClass errorClass() {
        return errorClass;
    }

    /// Returns the text of the error. Local. `MPI_Error_string`, MPI 4.1, section 9.3.5.
    public String text() {
        return text;
    }

    /// Returns class and text, for example `ERR_SOLVER, the iteration diverged`.
    @Override
    public String toString() {
        return errorClass + ", " + text;
    }
}
