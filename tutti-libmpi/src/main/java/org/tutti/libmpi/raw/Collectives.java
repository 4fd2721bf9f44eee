package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Operations that bring together or spread what ranks have: MPI 4.1, sections 6.3 to 6.7.
public final class Collectives {
    /// `int MPI_Barrier(MPI_Comm comm)`
    public static int MPI_Barrier(long comm) {
        class Linked {
            static final MethodHandle MPI_Barrier = link("MPI_Barrier", HANDLE);
        }
        try {
            return (int) Linked.MPI_Barrier.invokeExact(comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Ibarrier(long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ibarrier = link("MPI_Ibarrier", HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Ibarrier.invokeExact(comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)`
    public static int MPI_Bcast(MemorySegment buffer, int count, long datatype, int root, long comm) {
        class Linked {
            static final MethodHandle MPI_Bcast = link("MPI_Bcast", POINTER, INT, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Bcast.invokeExact(buffer, count, datatype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request
    /// *request)`
    public static int MPI_Ibcast(
            MemorySegment buffer, int count, long datatype, int root, long comm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Ibcast = link("MPI_Ibcast", POINTER, INT, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Ibcast.invokeExact(buffer, count, datatype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)`
    public static int MPI_Gather(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            int root,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Gather =
                    link("MPI_Gather", POINTER, INT, HANDLE, POINTER, INT, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Gather.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Igather(
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
            static final MethodHandle MPI_Igather =
                    link("MPI_Igather", POINTER, INT, HANDLE, POINTER, INT, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Igather.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int
    /// *recvcounts, const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm)`
    public static int MPI_Gatherv(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            int root,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Gatherv =
                    link("MPI_Gatherv", POINTER, INT, HANDLE, POINTER, POINTER, POINTER, HANDLE, INT, HANDLE);
        }
        try {
            return (int) Linked.MPI_Gatherv.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int
    /// *recvcounts, const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Igatherv(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            int root,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Igatherv =
                    link("MPI_Igatherv", POINTER, INT, HANDLE, POINTER, POINTER, POINTER, HANDLE, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Igatherv.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, MPI_Comm comm)`
    public static int MPI_Allgather(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Allgather =
                    link("MPI_Allgather", POINTER, INT, HANDLE, POINTER, INT, HANDLE, HANDLE);
        }
        try {
            return (int)
                    Linked.MPI_Allgather.invokeExact(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    /// recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)`
    public static int MPI_Iallgather(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            int recvcount,
            long recvtype,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iallgather =
                    link("MPI_Iallgather", POINTER, INT, HANDLE, POINTER, INT, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iallgather.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
    /// const int *recvcounts, const int *displs, MPI_Datatype recvtype, MPI_Comm comm)`
    public static int MPI_Allgatherv(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            long comm) {
        class Linked {
            static final MethodHandle MPI_Allgatherv =
                    link("MPI_Allgatherv", POINTER, INT, HANDLE, POINTER, POINTER, POINTER, HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Allgatherv.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
    /// const int *recvcounts, const int *displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request
    /// *request)`
    public static int MPI_Iallgatherv(
            MemorySegment sendbuf,
            int sendcount,
            long sendtype,
            MemorySegment recvbuf,
            MemorySegment recvcounts,
            MemorySegment displs,
            long recvtype,
            long comm,
            MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Iallgatherv =
                    link("MPI_Iallgatherv", POINTER, INT, HANDLE, POINTER, POINTER, POINTER, HANDLE, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Iallgatherv.invokeExact(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Collectives() {}
}
