package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Error_class;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Error_string;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// Exceptions for the library's error codes. MPICH's codes vary between runs, so only error classes are
/// compared.
final class Errors {
    // MPI_MAX_ERROR_STRING is 256 in Open MPI and 512 elsewhere
    private static final int TEXT_BYTES = 1024;

    private Errors() {}

    /// Returns the fault of a failed call: an argument error or a truncated message if the library reports one,
    /// otherwise a fault that ends the job.
    static Fault of(int rc, String operation, @Nullable Object where) {
        PredefinedErrorClass kind = errorClass(rc);
        String detail = kind + ", " + text(rc);
        return switch (kind) {
            case ERR_BUFFER,
                    ERR_COUNT,
                    ERR_TYPE,
                    ERR_TAG,
                    ERR_COMM,
                    ERR_TOPOLOGY,
                    ERR_DIMS,
                    ERR_GROUP,
                    ERR_RANK,
                    ERR_REQUEST,
                    ERR_ROOT,
                    ERR_OP,
                    ERR_ARG,
                    ERR_BASE,
                    ERR_WIN,
                    ERR_DISP,
                    ERR_RMA_RANGE,
                    ERR_RMA_SYNC,
                    ERR_RMA_SHARED,
                    ERR_RMA_FLAVOR,
                    ERR_RMA_ATTACH,
                    ERR_SPAWN,
                    ERR_PORT,
                    ERR_NAME,
                    ERR_SERVICE,
                    ERR_SESSION -> Fault.argument(kind, operation, detail, where);
            case ERR_TRUNCATE -> Fault.message(kind, operation, detail, where);
            case ERR_NO_MEM, ERR_PENDING, ERR_MISMATCH, ERR_PROC_FAILED, ERR_OTHER, ERR_INTERN ->
                Fault.job(kind, operation, detail, where);
            // errors of file operations, which Tutti implements without the library
            case ERR_FILE,
                    ERR_AMODE,
                    ERR_NOT_SAME,
                    ERR_UNSUPPORTED_OPERATION,
                    ERR_NO_SUCH_FILE,
                    ERR_FILE_EXISTS,
                    ERR_BAD_FILE,
                    ERR_ACCESS,
                    ERR_READ_ONLY,
                    ERR_NO_SPACE,
                    ERR_QUOTA,
                    ERR_IO -> throw new IllegalStateException("a library's code for " + kind);
        };
    }

    /// Like [#of], for a collective call: truncation means that a rank sent more data than expected.
    static Fault ofCollective(int rc, String operation, @Nullable Object where) {
        if (errorClass(rc) != PredefinedErrorClass.ERR_TRUNCATE) return of(rc, operation, where);
        return Fault.job(
                PredefinedErrorClass.ERR_MISMATCH,
                operation,
                "ranks passed different amounts of data: " + text(rc),
                where);
    }

    /// Like [#of], for a receive. The error text contains the source, tag and length as far as known.
    static Fault ofReceive(int rc, Transfer receive) {
        if (errorClass(rc) != PredefinedErrorClass.ERR_TRUNCATE) return of(rc, receive.operation, receive.comm);
        return truncated(receive);
    }

    static Fault truncated(Transfer receive) {
        String message = receive.receivedBytes > receive.lengthBytes
                ? "message of " + receive.receivedBytes + " bytes"
                : "message";
        return Fault.message(
                PredefinedErrorClass.ERR_TRUNCATE,
                receive.operation,
                message + " from " + receive.port().describeRank(receive.source) + ", tag " + receive.receivedTag
                        + ", does not fit into " + receive.lengthBytes + " bytes",
                receive.comm);
    }

    static PredefinedErrorClass errorClass(int rc) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            if (MPI_Error_class(rc, out) != 0) return PredefinedErrorClass.ERR_OTHER;
            return byNumber(out.get(JAVA_INT, 0));
        }
    }

    private static PredefinedErrorClass byNumber(int number) {
        if (number == MPI_ERR_BUFFER) return PredefinedErrorClass.ERR_BUFFER;
        if (number == MPI_ERR_COUNT) return PredefinedErrorClass.ERR_COUNT;
        if (number == MPI_ERR_TYPE) return PredefinedErrorClass.ERR_TYPE;
        if (number == MPI_ERR_TAG) return PredefinedErrorClass.ERR_TAG;
        if (number == MPI_ERR_COMM) return PredefinedErrorClass.ERR_COMM;
        if (number == MPI_ERR_GROUP) return PredefinedErrorClass.ERR_GROUP;
        if (number == MPI_ERR_RANK) return PredefinedErrorClass.ERR_RANK;
        if (number == MPI_ERR_REQUEST) return PredefinedErrorClass.ERR_REQUEST;
        if (number == MPI_ERR_ROOT) return PredefinedErrorClass.ERR_ROOT;
        if (number == MPI_ERR_OP) return PredefinedErrorClass.ERR_OP;
        if (number == MPI_ERR_ARG) return PredefinedErrorClass.ERR_ARG;
        if (number == MPI_ERR_TRUNCATE) return PredefinedErrorClass.ERR_TRUNCATE;
        if (number == MPI_ERR_NO_MEM) return PredefinedErrorClass.ERR_NO_MEM;
        if (number == MPI_ERR_BASE) return PredefinedErrorClass.ERR_BASE;
        if (number == MPI_ERR_WIN) return PredefinedErrorClass.ERR_WIN;
        if (number == MPI_ERR_DISP) return PredefinedErrorClass.ERR_DISP;
        if (number == MPI_ERR_RMA_RANGE) return PredefinedErrorClass.ERR_RMA_RANGE;
        if (number == MPI_ERR_RMA_SYNC) return PredefinedErrorClass.ERR_RMA_SYNC;
        if (number == MPI_ERR_RMA_SHARED) return PredefinedErrorClass.ERR_RMA_SHARED;
        if (number == MPI_ERR_RMA_FLAVOR) return PredefinedErrorClass.ERR_RMA_FLAVOR;
        if (number == MPI_ERR_RMA_ATTACH) return PredefinedErrorClass.ERR_RMA_ATTACH;
        if (number == MPI_ERR_PENDING) return PredefinedErrorClass.ERR_PENDING;
        if (number == MPI_ERR_INTERN) return PredefinedErrorClass.ERR_INTERN;
        return PredefinedErrorClass.ERR_OTHER;
    }

    /// Returns the library's message on one line; MPICH's message has several lines.
    static String text(int rc) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(TEXT_BYTES);
            MemorySegment length = arena.allocate(JAVA_INT);
            if (MPI_Error_string(rc, text, length) != 0) return "code " + rc;
            return text.getString(0).lines().map(String::strip).collect(Collectors.joining("; "));
        }
    }
}
