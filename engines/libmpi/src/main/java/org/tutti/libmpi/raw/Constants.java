package org.tutti.libmpi.raw;

import java.lang.foreign.MemorySegment;
import org.tutti.libmpi.abi.Abi;
import org.tutti.libmpi.boot.Library;

/// The definitions of the loaded library's `mpi.h` that the engine uses. Fields have the names of the
/// constants.
public final class Constants {
    public static final Abi ABI = Library.loaded().abi();

    public static final long MPI_COMM_WORLD = handle("MPI_COMM_WORLD");
    public static final long MPI_COMM_SELF = handle("MPI_COMM_SELF");
    public static final long MPI_COMM_NULL = handle("MPI_COMM_NULL");
    public static final long MPI_REQUEST_NULL = handle("MPI_REQUEST_NULL");
    public static final long MPI_INFO_NULL = handle("MPI_INFO_NULL");
    public static final long MPI_ERRORS_RETURN = handle("MPI_ERRORS_RETURN");

    public static final long MPI_BYTE = handle("MPI_BYTE");
    public static final long MPI_PACKED = handle("MPI_PACKED");
    public static final long MPI_C_BOOL = handle("MPI_C_BOOL");
    public static final long MPI_INT8_T = handle("MPI_INT8_T");
    public static final long MPI_UINT8_T = handle("MPI_UINT8_T");
    public static final long MPI_UINT16_T = handle("MPI_UINT16_T");
    public static final long MPI_INT16_T = handle("MPI_INT16_T");
    public static final long MPI_INT32_T = handle("MPI_INT32_T");
    public static final long MPI_INT64_T = handle("MPI_INT64_T");
    public static final long MPI_FLOAT = handle("MPI_FLOAT");
    public static final long MPI_DOUBLE = handle("MPI_DOUBLE");
    public static final long MPI_C_DOUBLE_COMPLEX = handle("MPI_C_DOUBLE_COMPLEX");
    public static final long MPI_C_FLOAT_COMPLEX = handle("MPI_C_FLOAT_COMPLEX");
    public static final long MPI_DOUBLE_INT = handle("MPI_DOUBLE_INT");
    public static final long MPI_LONG_INT = handle("MPI_LONG_INT");
    public static final long MPI_FLOAT_INT = handle("MPI_FLOAT_INT");
    public static final long MPI_2INT = handle("MPI_2INT");

    public static final long MPI_MAX = handle("MPI_MAX");
    public static final long MPI_BOR = handle("MPI_BOR");
    public static final long MPI_SUM = handle("MPI_SUM");
    public static final long MPI_REPLACE = handle("MPI_REPLACE");
    public static final long MPI_NO_OP = handle("MPI_NO_OP");

    public static final MemorySegment MPI_IN_PLACE = MemorySegment.ofAddress(handle("MPI_IN_PLACE"));

    public static final int MPI_ANY_SOURCE = number("MPI_ANY_SOURCE");
    public static final int MPI_ANY_TAG = number("MPI_ANY_TAG");
    public static final int MPI_UNDEFINED = number("MPI_UNDEFINED");
    public static final int MPI_THREAD_SERIALIZED = number("MPI_THREAD_SERIALIZED");
    public static final int MPI_THREAD_MULTIPLE = number("MPI_THREAD_MULTIPLE");
    public static final int MPI_COMM_TYPE_SHARED = number("MPI_COMM_TYPE_SHARED");
    public static final int MPI_TAG_UB = number("MPI_TAG_UB");

    public static final int MPI_MODE_NOCHECK = number("MPI_MODE_NOCHECK");

    public static final int MPI_ERR_BUFFER = number("MPI_ERR_BUFFER");
    public static final int MPI_ERR_COUNT = number("MPI_ERR_COUNT");
    public static final int MPI_ERR_TYPE = number("MPI_ERR_TYPE");
    public static final int MPI_ERR_TAG = number("MPI_ERR_TAG");
    public static final int MPI_ERR_COMM = number("MPI_ERR_COMM");
    public static final int MPI_ERR_GROUP = number("MPI_ERR_GROUP");
    public static final int MPI_ERR_RANK = number("MPI_ERR_RANK");
    public static final int MPI_ERR_REQUEST = number("MPI_ERR_REQUEST");
    public static final int MPI_ERR_ROOT = number("MPI_ERR_ROOT");
    public static final int MPI_ERR_OP = number("MPI_ERR_OP");
    public static final int MPI_ERR_ARG = number("MPI_ERR_ARG");
    public static final int MPI_ERR_TRUNCATE = number("MPI_ERR_TRUNCATE");
    public static final int MPI_ERR_BASE = number("MPI_ERR_BASE");
    public static final int MPI_ERR_WIN = number("MPI_ERR_WIN");
    public static final int MPI_ERR_DISP = number("MPI_ERR_DISP");
    public static final int MPI_ERR_RMA_RANGE = number("MPI_ERR_RMA_RANGE");
    public static final int MPI_ERR_RMA_SYNC = number("MPI_ERR_RMA_SYNC");
    public static final int MPI_ERR_RMA_SHARED = number("MPI_ERR_RMA_SHARED");
    public static final int MPI_ERR_RMA_FLAVOR = number("MPI_ERR_RMA_FLAVOR");
    public static final int MPI_ERR_RMA_ATTACH = number("MPI_ERR_RMA_ATTACH");
    public static final int MPI_ERR_NO_MEM = number("MPI_ERR_NO_MEM");
    public static final int MPI_ERR_INTERN = number("MPI_ERR_INTERN");
    public static final int MPI_ERR_PENDING = number("MPI_ERR_PENDING");

    /// `MPI_Status`: offsets of the public fields in this ABI.
    public static final long STATUS_SOURCE = number("offsetof(MPI_Status,MPI_SOURCE)");

    public static final long STATUS_TAG = number("offsetof(MPI_Status,MPI_TAG)");

    /// The offset of a message's length in bytes, or of the length's lower half; -1 if the ABI does not define
    /// the offset.
    public static final long STATUS_COUNT = switch (ABI) {
        case OPEN_MPI -> number("offsetof(MPI_Status,_ucount)");
        case MPICH -> number("offsetof(MPI_Status,count_lo)");
        case STANDARD -> -1;
    };

    /// The offset of the length's upper half; -1 if the length is not divided.
    public static final long STATUS_COUNT_HIGH = switch (ABI) {
        case MPICH -> number("offsetof(MPI_Status,count_hi_and_cancelled)");
        case OPEN_MPI, STANDARD -> -1;
    };

    private Constants() {}

    /// Returns the predefined operation that the standard calls `MPI_`, followed by `name`.
    public static long operation(String name) {
        return handle("MPI_" + name);
    }

    private static long handle(String name) {
        Library library = Library.loaded();
        return library.table().value(name, library.symbols());
    }

    private static int number(String name) {
        return (int) handle(name);
    }
}
