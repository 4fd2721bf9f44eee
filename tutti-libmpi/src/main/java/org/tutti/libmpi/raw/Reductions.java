package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Operations that combine the operands of all ranks: MPI 4.1, section 6.9.
public final class Reductions {
    /// `int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int
    /// root, MPI_Comm comm)`
    public static int MPI_Reduce(
            MemorySegment sendbuf, MemorySegment recvbuf, int count, long datatype, long op, int root, long comm) {
        class Linked {
            static final MethodHandle MPI_Reduce =
                    link("MPI_Reduce", POINTER, POINTER, INT, HANDLE, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Reduce.invokeExact(sendbuf, recvbuf, count, datatype, op, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// int root, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Ireduce(
            MemorySegment sendbuf,
            MemorySegment recvbuf,
            int count,
            long datatype,
            long op,
            int root,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ireduce =
                    link("MPI_Ireduce", POINTER, POINTER, INT, HANDLE, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Ireduce.invokeExact(sendbuf, recvbuf, count, datatype, op, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// MPI_Comm comm)`
    public static int MPI_Allreduce(
            MemorySegment sendbuf, MemorySegment recvbuf, int count, long datatype, long op, long comm) {
        class Linked {
            static final MethodHandle MPI_Allreduce =
                    link("MPI_Allreduce", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Allreduce.invokeExact(sendbuf, recvbuf, count, datatype, op, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Iallreduce(
            MemorySegment sendbuf,
            MemorySegment recvbuf,
            int count,
            long datatype,
            long op,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iallreduce =
                    link("MPI_Iallreduce", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iallreduce.invokeExact(sendbuf, recvbuf, count, datatype, op, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Reductions() {}
}
