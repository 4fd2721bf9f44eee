package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Messages that say when they match: synchronous sends and matched probes. MPI 4.1, sections 3.4 and 3.8.2.
public final class Matching {
    /// `int MPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    /// MPI_Request *request)`
    public static int MPI_Issend(
            MemorySegment buf, int count, long datatype, int dest, int tag, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Issend = link("MPI_Issend", POINTER, INT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Issend.invokeExact(buf, count, datatype, dest, tag, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status
    /// *status)`
    public static int MPI_Improbe(
            int source, int tag, long comm, MemorySegment flag, MemorySegment message, MemorySegment status) {
        class Linked {
            static final MethodHandle MPI_Improbe = link("MPI_Improbe", INT, INT, HANDLE, POINTER, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Improbe.invokeExact(source, tag, comm, flag, message, status);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request
    /// *request)`
    public static int MPI_Imrecv(
            MemorySegment buf, int count, long datatype, MemorySegment message, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Imrecv = link("MPI_Imrecv", POINTER, INT, HANDLE, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Imrecv.invokeExact(buf, count, datatype, message, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Matching() {}
}
