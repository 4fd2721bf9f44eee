package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Reductions whose result differs from rank to rank: MPI 4.1, sections 6.10 and 6.11.
public final class Scans {
    /// `int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int *recvcounts, MPI_Datatype
    /// datatype, MPI_Op op, MPI_Comm comm)`
    public static int MPI_Reduce_scatter(
            MemorySegment sendbuf, MemorySegment recvbuf, MemorySegment recvcounts, long datatype, long op, long comm) {
        class Linked {
            static final MethodHandle MPI_Reduce_scatter =
                    link("MPI_Reduce_scatter", POINTER, POINTER, POINTER, HANDLE, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Reduce_scatter.invokeExact(sendbuf, recvbuf, recvcounts, datatype, op, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int *recvcounts, MPI_Datatype
    /// datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Ireduce_scatter(
            MemorySegment sendbuf,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            long datatype,
            long op,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ireduce_scatter =
                    link("MPI_Ireduce_scatter", POINTER, POINTER, POINTER, HANDLE, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int)
                    Linked.MPI_Ireduce_scatter.invokeExact(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype
    /// datatype, MPI_Op op, MPI_Comm comm)`
    public static int MPI_Reduce_scatter_block(
            MemorySegment sendbuf, MemorySegment recvbuf, int recvcount, long datatype, long op, long comm) {
        class Linked {
            static final MethodHandle MPI_Reduce_scatter_block =
                    link("MPI_Reduce_scatter_block", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Reduce_scatter_block.invokeExact(sendbuf, recvbuf, recvcount, datatype, op, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype
    /// datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Ireduce_scatter_block(
            MemorySegment sendbuf,
            MemorySegment recvbuf,
            int recvcount,
            long datatype,
            long op,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ireduce_scatter_block =
                    link("MPI_Ireduce_scatter_block", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Ireduce_scatter_block.invokeExact(
                    sendbuf, recvbuf, recvcount, datatype, op, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// MPI_Comm comm)`
    public static int MPI_Scan(
            MemorySegment sendbuf, MemorySegment recvbuf, int count, long datatype, long op, long comm) {
        class Linked {
            static final MethodHandle MPI_Scan = link("MPI_Scan", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Scan.invokeExact(sendbuf, recvbuf, count, datatype, op, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Iscan(
            MemorySegment sendbuf,
            MemorySegment recvbuf,
            int count,
            long datatype,
            long op,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iscan =
                    link("MPI_Iscan", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iscan.invokeExact(sendbuf, recvbuf, count, datatype, op, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// MPI_Comm comm)`
    public static int MPI_Exscan(
            MemorySegment sendbuf, MemorySegment recvbuf, int count, long datatype, long op, long comm) {
        class Linked {
            static final MethodHandle MPI_Exscan = link("MPI_Exscan", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Exscan.invokeExact(sendbuf, recvbuf, count, datatype, op, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    /// MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Iexscan(
            MemorySegment sendbuf,
            MemorySegment recvbuf,
            int count,
            long datatype,
            long op,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iexscan =
                    link("MPI_Iexscan", POINTER, POINTER, INT, HANDLE, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iexscan.invokeExact(sendbuf, recvbuf, count, datatype, op, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Scans() {}
}
