package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.COUNT;
import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.stream.Stream;
import org.tutti.libmpi.boot.Library;

/// Functions that count in `MPI_Count`. MPICH has them since 4.0, Open MPI since 6.0: see [#AVAILABLE].
public final class LargeCount {
    /// Whether the library has them all: a call is the same on every rank, so it is all or none.
    public static final boolean AVAILABLE = Stream.of(
                    "MPI_Isend_c",
                    "MPI_Issend_c",
                    "MPI_Irecv_c",
                    "MPI_Imrecv_c",
                    "MPI_Bcast_c",
                    "MPI_Ibcast_c",
                    "MPI_Gatherv_c",
                    "MPI_Igatherv_c",
                    "MPI_Allgatherv_c",
                    "MPI_Iallgatherv_c",
                    "MPI_Scatterv_c",
                    "MPI_Iscatterv_c",
                    "MPI_Alltoallv_c",
                    "MPI_Ialltoallv_c")
            .allMatch(Library.loaded()::has);

    /// `int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm
    /// comm, MPI_Request *request)`
    public static int MPI_Isend_c(
            MemorySegment buf, long count, long datatype, int dest, int tag, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Isend_c =
                    link("MPI_Isend_c", POINTER, COUNT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Isend_c.invokeExact(buf, count, datatype, dest, tag, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm
    /// comm, MPI_Request *request)`
    public static int MPI_Irecv_c(
            MemorySegment buf, long count, long datatype, int source, int tag, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Irecv_c =
                    link("MPI_Irecv_c", POINTER, COUNT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Irecv_c.invokeExact(buf, count, datatype, source, tag, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
    /// MPI_Request *request)`
    public static int MPI_Ibcast_c(
            MemorySegment buffer, long count, long datatype, int root, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ibcast_c = link("MPI_Ibcast_c", POINTER, COUNT, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Ibcast_c.invokeExact(buffer, count, datatype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    /// const MPI_Count *recvcounts, const MPI_Aint *displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
    /// MPI_Request *request)`
    public static int MPI_Igatherv_c(
            MemorySegment sendbuf,
            long sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            int root,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Igatherv_c = link(
                    "MPI_Igatherv_c", POINTER, COUNT, HANDLE, POINTER, POINTER, POINTER, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Igatherv_c.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    /// const MPI_Count *recvcounts, const MPI_Aint *displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request
    /// *request)`
    public static int MPI_Iallgatherv_c(
            MemorySegment sendbuf,
            long sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iallgatherv_c = link(
                    "MPI_Iallgatherv_c", POINTER, COUNT, HANDLE, POINTER, POINTER, POINTER, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iallgatherv_c.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)`
    public static int MPI_Bcast_c(MemorySegment buffer, long count, long datatype, int root, long comm) {
        class Linked {
            static final MethodHandle MPI_Bcast_c = link("MPI_Bcast_c", POINTER, COUNT, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Bcast_c.invokeExact(buffer, count, datatype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    /// const MPI_Count *recvcounts, const MPI_Aint *displs, MPI_Datatype recvtype, int root, MPI_Comm
    /// comm)`
    public static int MPI_Gatherv_c(
            MemorySegment sendbuf,
            long sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            int root,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Gatherv_c =
                    link("MPI_Gatherv_c", POINTER, COUNT, HANDLE, POINTER, POINTER, POINTER, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Gatherv_c.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    /// const MPI_Count *recvcounts, const MPI_Aint *displs, MPI_Datatype recvtype, MPI_Comm comm)`
    public static int MPI_Allgatherv_c(
            MemorySegment sendbuf,
            long sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Allgatherv_c =
                    link("MPI_Allgatherv_c", POINTER, COUNT, HANDLE, POINTER, POINTER, POINTER, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Allgatherv_c.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    /// MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Issend_c(
            MemorySegment buf, long count, long datatype, int dest, int tag, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Issend_c =
                    link("MPI_Issend_c", POINTER, COUNT, HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Issend_c.invokeExact(buf, count, datatype, dest, tag, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
    /// MPI_Request *request)`
    public static int MPI_Imrecv_c(
            MemorySegment buf, long count, long datatype, MemorySegment message, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Imrecv_c = link("MPI_Imrecv_c", POINTER, COUNT, HANDLE, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Imrecv_c.invokeExact(buf, count, datatype, message, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Scatterv_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *displs,
    /// MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm
    /// comm)`
    public static int MPI_Scatterv_c(
            MemorySegment sendbuf,
            MemorySegment sendcounts,
            MemorySegment displs,
            long sendtype,
            MemorySegment recvbuf,
            long recvcount,
            long recvtype,
            int root,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Scatterv_c =
                    link("MPI_Scatterv_c", POINTER, POINTER, POINTER, HANDLE, POINTER, COUNT, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Scatterv_c.invokeExact(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iscatterv_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *displs,
    /// MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm
    /// comm, MPI_Request *request)`
    public static int MPI_Iscatterv_c(
            MemorySegment sendbuf,
            MemorySegment sendcounts,
            MemorySegment displs,
            long sendtype,
            MemorySegment recvbuf,
            long recvcount,
            long recvtype,
            int root,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iscatterv_c = link(
                    "MPI_Iscatterv_c", POINTER, POINTER, POINTER, HANDLE, POINTER, COUNT, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iscatterv_c.invokeExact(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Alltoallv_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *sdispls,
    /// MPI_Datatype sendtype, void *recvbuf, const MPI_Count *recvcounts, const MPI_Aint *rdispls,
    /// MPI_Datatype recvtype, MPI_Comm comm)`
    public static int MPI_Alltoallv_c(
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
            static final MethodHandle MPI_Alltoallv_c = link(
                    "MPI_Alltoallv_c", POINTER, POINTER, POINTER, HANDLE, POINTER, POINTER, POINTER, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Alltoallv_c.invokeExact(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ialltoallv_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *sdispls,
    /// MPI_Datatype sendtype, void *recvbuf, const MPI_Count *recvcounts, const MPI_Aint *rdispls,
    /// MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Ialltoallv_c(
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
            static final MethodHandle MPI_Ialltoallv_c = link(
                    "MPI_Ialltoallv_c",
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
            return (int) Linked.MPI_Ialltoallv_c.invokeExact(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private LargeCount() {}
}
