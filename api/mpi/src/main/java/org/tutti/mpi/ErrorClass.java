package org.tutti.mpi;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.PredefinedErrorClass;

/// The class of an error: a class of the standard (MPI 4.1, section 9.4), or a class that a library on top of
/// MPI has created. Classes are compared by `==`; two classes of a library are always different, even with
/// equal names.
///
///     static final ErrorClass ERR_SOLVER = ErrorClass.of("ERR_SOLVER");
///     static final ErrorCode DIVERGED = ErrorCode.of(ERR_SOLVER, "the iteration diverged");
///
///     throw comm.error("solve", DIVERGED, "residual=" + residual);
///     …
///     catch (MpiException e) {
///         if (e.errorClass() == ERR_SOLVER) …
///     }
public final class ErrorClass implements Serializable {
    private static final long serialVersionUID = 1;
    private static final PredefinedErrorClass[] PREDEFINED = PredefinedErrorClass.values();
    private static final ErrorClass[] BY_ORDINAL = new ErrorClass[PREDEFINED.length];

    static {
        for (PredefinedErrorClass p : PREDEFINED) BY_ORDINAL[p.ordinal()] = new ErrorClass(p.name(), p);
    }

    /// Memory that cannot be used for this call.
    public static final ErrorClass ERR_BUFFER = of(PredefinedErrorClass.ERR_BUFFER);
    /// A number of elements, blocks or objects that is negative or does not fit.
    public static final ErrorClass ERR_COUNT = of(PredefinedErrorClass.ERR_COUNT);
    /// A type that does not match a second type, the memory, or the operation.
    public static final ErrorClass ERR_TYPE = of(PredefinedErrorClass.ERR_TYPE);
    /// A negative or too large tag.
    public static final ErrorClass ERR_TAG = of(PredefinedErrorClass.ERR_TAG);
    /// A communicator that was closed, has no ranks, or is of the wrong kind.
    public static final ErrorClass ERR_COMM = of(PredefinedErrorClass.ERR_COMM);
    /// Neighbors in a graph that cannot exchange data.
    public static final ErrorClass ERR_TOPOLOGY = of(PredefinedErrorClass.ERR_TOPOLOGY);
    /// Numbers that do not describe a grid.
    public static final ErrorClass ERR_DIMS = of(PredefinedErrorClass.ERR_DIMS);
    /// A group that does not contain the caller, or that contains a rank that is not permitted.
    public static final ErrorClass ERR_GROUP = of(PredefinedErrorClass.ERR_GROUP);
    /// A number that is not a rank of the communicator or group.
    public static final ErrorClass ERR_RANK = of(PredefinedErrorClass.ERR_RANK);
    /// A request in the wrong state.
    public static final ErrorClass ERR_REQUEST = of(PredefinedErrorClass.ERR_REQUEST);
    /// A number that is not a rank, or a rank that cannot be the root.
    public static final ErrorClass ERR_ROOT = of(PredefinedErrorClass.ERR_ROOT);
    /// A reduction that is not defined for the type, or that has thrown an exception.
    public static final ErrorClass ERR_OP = of(PredefinedErrorClass.ERR_OP);
    /// Any other invalid argument.
    public static final ErrorClass ERR_ARG = of(PredefinedErrorClass.ERR_ARG);
    /// A message that is longer than the buffer.
    public static final ErrorClass ERR_TRUNCATE = of(PredefinedErrorClass.ERR_TRUNCATE);
    /// Insufficient memory.
    public static final ErrorClass ERR_NO_MEM = of(PredefinedErrorClass.ERR_NO_MEM);
    /// Memory to be freed that MPI has not allocated, or that has already been freed.
    public static final ErrorClass ERR_BASE = of(PredefinedErrorClass.ERR_BASE);
    /// A window that was closed, or cannot be used for this call.
    public static final ErrorClass ERR_WIN = of(PredefinedErrorClass.ERR_WIN);
    /// An invalid displacement into a window, or an invalid displacement unit.
    public static final ErrorClass ERR_DISP = of(PredefinedErrorClass.ERR_DISP);
    /// An access outside of the target's window.
    public static final ErrorClass ERR_RMA_RANGE = of(PredefinedErrorClass.ERR_RMA_RANGE);
    /// A call outside of the required epoch, or within an epoch that forbids it.
    public static final ErrorClass ERR_RMA_SYNC = of(PredefinedErrorClass.ERR_RMA_SYNC);
    /// Ranks that cannot share memory.
    public static final ErrorClass ERR_RMA_SHARED = of(PredefinedErrorClass.ERR_RMA_SHARED);
    /// A window of the wrong flavor for the call.
    public static final ErrorClass ERR_RMA_FLAVOR = of(PredefinedErrorClass.ERR_RMA_FLAVOR);
    /// Memory that cannot be attached to a window, or is not attached.
    public static final ErrorClass ERR_RMA_ATTACH = of(PredefinedErrorClass.ERR_RMA_ATTACH);
    /// A file that was closed.
    public static final ErrorClass ERR_FILE = of(PredefinedErrorClass.ERR_FILE);
    /// Modes that exclude each other.
    public static final ErrorClass ERR_AMODE = of(PredefinedErrorClass.ERR_AMODE);
    /// Different arguments on ranks that must pass equal arguments.
    public static final ErrorClass ERR_NOT_SAME = of(PredefinedErrorClass.ERR_NOT_SAME);
    /// A call that is not supported for a file in this mode, or with this view.
    public static final ErrorClass ERR_UNSUPPORTED_OPERATION = of(PredefinedErrorClass.ERR_UNSUPPORTED_OPERATION);
    /// A file that does not exist.
    public static final ErrorClass ERR_NO_SUCH_FILE = of(PredefinedErrorClass.ERR_NO_SUCH_FILE);
    /// A file that exists although it must not.
    public static final ErrorClass ERR_FILE_EXISTS = of(PredefinedErrorClass.ERR_FILE_EXISTS);
    /// An invalid file name: a directory, or a name that the system rejects.
    public static final ErrorClass ERR_BAD_FILE = of(PredefinedErrorClass.ERR_BAD_FILE);
    /// An access that the system, or the mode of the file, does not permit.
    public static final ErrorClass ERR_ACCESS = of(PredefinedErrorClass.ERR_ACCESS);
    /// A read-only file or file system.
    public static final ErrorClass ERR_READ_ONLY = of(PredefinedErrorClass.ERR_READ_ONLY);
    /// A full file system.
    public static final ErrorClass ERR_NO_SPACE = of(PredefinedErrorClass.ERR_NO_SPACE);
    /// An exceeded quota.
    public static final ErrorClass ERR_QUOTA = of(PredefinedErrorClass.ERR_QUOTA);
    /// Any other error of the system during a file access.
    public static final ErrorClass ERR_IO = of(PredefinedErrorClass.ERR_IO);
    /// Processes that could not be started, or that ended before joining.
    public static final ErrorClass ERR_SPAWN = of(PredefinedErrorClass.ERR_SPAWN);
    /// An invalid or closed port.
    public static final ErrorClass ERR_PORT = of(PredefinedErrorClass.ERR_PORT);
    /// A service name that is not published.
    public static final ErrorClass ERR_NAME = of(PredefinedErrorClass.ERR_NAME);
    /// A service name that is already published.
    public static final ErrorClass ERR_SERVICE = of(PredefinedErrorClass.ERR_SERVICE);
    /// A session that was closed, or cannot be opened.
    public static final ErrorClass ERR_SESSION = of(PredefinedErrorClass.ERR_SESSION);
    /// An operation that is still open, for example a request, an unreceived message, or a `CompletionStage`.
    public static final ErrorClass ERR_PENDING = of(PredefinedErrorClass.ERR_PENDING);

    /// Arguments of a collective call that do not match between ranks. Not defined by the standard.
    public static final ErrorClass ERR_MISMATCH = of(PredefinedErrorClass.ERR_MISMATCH);

    /// A rank of the job that failed, or that left while a different rank was waiting for it. Not defined by
    /// MPI 4.1.
    public static final ErrorClass ERR_PROC_FAILED = of(PredefinedErrorClass.ERR_PROC_FAILED);

    /// Other errors: a call after [Mpi#close], no job to join, or a library's error that has no class.
    public static final ErrorClass ERR_OTHER = of(PredefinedErrorClass.ERR_OTHER);
    /// An error inside of a library.
    public static final ErrorClass ERR_INTERN = of(PredefinedErrorClass.ERR_INTERN);

    private final String name;

    /// The predefined class; null for a class of a library.
    private final @Nullable PredefinedErrorClass predefined;

    private ErrorClass(String name, @Nullable PredefinedErrorClass predefined) {
        this.name = name;
        this.predefined = predefined;
    }

    static ErrorClass of(PredefinedErrorClass predefined) {
        return BY_ORDINAL[predefined.ordinal()];
    }

    /// Creates a class with this name. The class is not registered, so the program need not remove it. Local.
    /// `MPI_Add_error_class`, MPI 4.1, section 9.5.
    public static ErrorClass of(String name) {
        return new ErrorClass(Arguments.given("ErrorClass.of", "name", name), null);
    }

    /// Returns the name, for example `ERR_RANK`. Local.
    public String name() {
        return name;
    }

    /// Returns the existing object for a predefined class, because classes are compared by `==`.
    private Object readResolve() {
        return predefined == null ? this : of(predefined);
    }

    @Override
    public String toString() {
        return name;
    }
}
