package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;
import static org.tutti.libmpi.raw.Link.linkCritical;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Messages and requests: MPI 4.1, chapter 3.
public final class PointToPoint {
    /// `int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)`
    public static int MPI_Send(MemorySegment buf, int count, long datatype, int dest, int tag, long comm) {
        class Linked {
            static final MethodHandle MPI_Send = link("MPI_Send", POINTER, INT, HANDLE, INT, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Send.invokeExact(buf, count, datatype, dest, tag, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    /// MPI_Status *status)`
    public static int MPI_Recv(
            MemorySegment buf, int count, long datatype, int source, int tag, long comm, MemorySegment status) {
        class Linked {
            static final MethodHandle MPI_Recv = link("MPI_Recv", POINTER, INT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Recv.invokeExact(buf, count, datatype, source, tag, comm, status);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    /// MPI_Request *request)`
    public static int MPI_Isend(
            MemorySegment buf, int count, long datatype, int dest, int tag, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Isend = link("MPI_Isend", POINTER, INT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Isend.invokeExact(buf, count, datatype, dest, tag, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    /// MPI_Request *request)`
    public static int MPI_Irecv(
            MemorySegment buf, int count, long datatype, int source, int tag, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Irecv = link("MPI_Irecv", POINTER, INT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Irecv.invokeExact(buf, count, datatype, source, tag, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)`
    public static int MPI_Test(MemorySegment request, MemorySegment flag, MemorySegment status) {
        class Linked {
            static final MethodHandle MPI_Test = link("MPI_Test", POINTER, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Test.invokeExact(request, flag, status);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)`
    public static int MPI_Iprobe(int source, int tag, long comm, MemorySegment flag, MemorySegment status) {
        class Linked {
            static final MethodHandle MPI_Iprobe = link("MPI_Iprobe", INT, INT, HANDLE, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Iprobe.invokeExact(source, tag, comm, flag, status);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Cancel(MPI_Request *request)`
    public static int MPI_Cancel(MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Cancel = link("MPI_Cancel", POINTER);
        }
        try {
            return (int) Linked.MPI_Cancel.invokeExact(request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Test_cancelled(const MPI_Status *status, int *flag)`
    public static int MPI_Test_cancelled(MemorySegment status, MemorySegment flag) {
        class Linked {
            static final MethodHandle MPI_Test_cancelled = linkCritical("MPI_Test_cancelled", POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Test_cancelled.invokeExact(status, flag);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)`
    public static int MPI_Get_elements_x(MemorySegment status, long datatype, MemorySegment count) {
        class Linked {
            static final MethodHandle MPI_Get_elements_x = linkCritical("MPI_Get_elements_x", POINTER, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Get_elements_x.invokeExact(status, datatype, count);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private PointToPoint() {}
}
