package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Operations in which a rank has a block for each other: MPI 4.1, sections 6.6 and 6.8.
public final class Exchanges {
    /// `int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)`
    public static int MPI_Scatter(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            int root,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Scatter =
                    link("MPI_Scatter", POINTER, INT, HANDLE, POINTER, INT, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Scatter.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Iscatter(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            int root,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iscatter =
                    link("MPI_Iscatter", POINTER, INT, HANDLE, POINTER, INT, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iscatter.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Scatterv(const void *sendbuf, const int *sendcounts, const int *displs, MPI_Datatype
    /// sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)`
    public static int MPI_Scatterv(
            MemorySegment sendbuf,
            MemorySegment sendcounts,
            MemorySegment displs,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            int root,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Scatterv =
                    link("MPI_Scatterv", POINTER, POINTER, POINTER, HANDLE, POINTER, INT, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Scatterv.invokeExact(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iscatterv(const void *sendbuf, const int *sendcounts, const int *displs, MPI_Datatype
    /// sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request
    /// *request)`
    public static int MPI_Iscatterv(
            MemorySegment sendbuf,
            MemorySegment sendcounts,
            MemorySegment displs,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            int root,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iscatterv = link(
                    "MPI_Iscatterv", POINTER, POINTER, POINTER, HANDLE, POINTER, INT, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iscatterv.invokeExact(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, MPI_Comm comm)`
    public static int MPI_Alltoall(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Alltoall =
                    link("MPI_Alltoall", POINTER, INT, HANDLE, POINTER, INT, HANDLE, HANDLE);
        }
        try {
            return (int)
                    Linked.MPI_Alltoall.invokeExact(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Ialltoall(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ialltoall =
                    link("MPI_Ialltoall", POINTER, INT, HANDLE, POINTER, INT, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Ialltoall.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype
    /// sendtype, void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype, MPI_Comm
    /// comm)`
    public static int MPI_Alltoallv(
            MemorySegment sendbuf,
            MemorySegment sendcounts,
            MemorySegment sdispls,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment rdispls,
            long recvtype,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Alltoallv =
                    link("MPI_Alltoallv", POINTER, POINTER, POINTER, HANDLE, POINTER, POINTER, POINTER, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Alltoallv.invokeExact(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ialltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype
    /// sendtype, void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype, MPI_Comm
    /// comm, MPI_Request *request)`
    public static int MPI_Ialltoallv(
            MemorySegment sendbuf,
            MemorySegment sendcounts,
            MemorySegment sdispls,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment rdispls,
            long recvtype,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ialltoallv = link(
                    "MPI_Ialltoallv",
                    POINTER,
                    POINTER,
                    POINTER,
                    HANDLE,
                    POINTER,
                    POINTER,
                    POINTER,
                    HANDLE,
                    HANDLE,
                    POINTER);
        }
        try {
            return (int) Linked.MPI_Ialltoallv.invokeExact(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Exchanges() {}
}
