package org.tutti.mpi;

import java.io.Serializable;

/// What kind of error it is: one of the standard's (MPI 4.1, section 9.4), or one that a library on top
/// of MPI made for its own. Classes are compared by `==`; two of a library's are never the same, even of
/// one name.
///
///     static final ErrorClass ERR_SOLVER = ErrorClass.of("ERR_SOLVER");
///     static final ErrorCode DIVERGED = ErrorCode.of(ERR_SOLVER, "the iteration diverged");
///
///     throw comm.error("solve", DIVERGED, "residual=" + residual);
///     …
///     catch (MpiException e) {
///         if (e.errorClass() == ERR_SOLVER) …
///     }
public sealed interface ErrorClass extends Serializable permits PredefinedErrorClass, UserErrorClass {
    ErrorClass ERR_BUFFER = PredefinedErrorClass.ERR_BUFFER;
    ErrorClass ERR_COUNT = PredefinedErrorClass.ERR_COUNT;
    ErrorClass ERR_TYPE = PredefinedErrorClass.ERR_TYPE;
    ErrorClass ERR_TAG = PredefinedErrorClass.ERR_TAG;
    ErrorClass ERR_COMM = PredefinedErrorClass.ERR_COMM;
    ErrorClass ERR_TOPOLOGY = PredefinedErrorClass.ERR_TOPOLOGY;
    ErrorClass ERR_DIMS = PredefinedErrorClass.ERR_DIMS;
    ErrorClass ERR_GROUP = PredefinedErrorClass.ERR_GROUP;
    ErrorClass ERR_RANK = PredefinedErrorClass.ERR_RANK;
    ErrorClass ERR_REQUEST = PredefinedErrorClass.ERR_REQUEST;
    ErrorClass ERR_ROOT = PredefinedErrorClass.ERR_ROOT;
    ErrorClass ERR_OP = PredefinedErrorClass.ERR_OP;
    ErrorClass ERR_ARG = PredefinedErrorClass.ERR_ARG;
    ErrorClass ERR_TRUNCATE = PredefinedErrorClass.ERR_TRUNCATE;
    ErrorClass ERR_NO_MEM = PredefinedErrorClass.ERR_NO_MEM;
    ErrorClass ERR_PENDING = PredefinedErrorClass.ERR_PENDING;

    /// Ranks passed different things to one collective call.
    ErrorClass ERR_MISMATCH = PredefinedErrorClass.ERR_MISMATCH;

    /// A rank of the job failed.
    ErrorClass ERR_PROC_FAILED = PredefinedErrorClass.ERR_PROC_FAILED;

    ErrorClass ERR_OTHER = PredefinedErrorClass.ERR_OTHER;
    ErrorClass ERR_INTERN = PredefinedErrorClass.ERR_INTERN;

    /// A new class, called so in texts. It needs no place in a table, so it is removed by forgetting it.
    /// `MPI_Add_error_class`, MPI 4.1, section 9.5.
    static ErrorClass of(String name) {
        return new UserErrorClass(name);
    }

    /// `ERR_RANK`.
    String name();
}
