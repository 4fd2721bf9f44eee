package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Groups of ranks and their contexts: MPI 4.1, chapter 7.
public final class Communicators {
    /// `int MPI_Comm_rank(MPI_Comm comm, int *rank)`
    public static int MPI_Comm_rank(long comm, MemorySegment rank) {
        class Linked {
            static final MethodHandle MPI_Comm_rank = link("MPI_Comm_rank", HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_rank.invokeExact(comm, rank);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_size(MPI_Comm comm, int *size)`
    public static int MPI_Comm_size(long comm, MemorySegment size) {
        class Linked {
            static final MethodHandle MPI_Comm_size = link("MPI_Comm_size", HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_size.invokeExact(comm, size);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)`
    public static int MPI_Comm_dup(long comm, MemorySegment newcomm) {
        class Linked {
            static final MethodHandle MPI_Comm_dup = link("MPI_Comm_dup", HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_dup.invokeExact(comm, newcomm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)`
    public static int MPI_Comm_split(long comm, int color, int key, MemorySegment newcomm) {
        class Linked {
            static final MethodHandle MPI_Comm_split = link("MPI_Comm_split", HANDLE, INT, INT, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_split.invokeExact(comm, color, key, newcomm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)`
    public static int MPI_Comm_split_type(long comm, int split_type, int key, long info, MemorySegment newcomm) {
        class Linked {
            static final MethodHandle MPI_Comm_split_type =
                    link("MPI_Comm_split_type", HANDLE, INT, INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_split_type.invokeExact(comm, split_type, key, info, newcomm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_free(MPI_Comm *comm)`
    public static int MPI_Comm_free(MemorySegment comm) {
        class Linked {
            static final MethodHandle MPI_Comm_free = link("MPI_Comm_free", POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_free.invokeExact(comm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)`
    public static int MPI_Comm_set_errhandler(long comm, long errhandler) {
        class Linked {
            static final MethodHandle MPI_Comm_set_errhandler = link("MPI_Comm_set_errhandler", HANDLE, HANDLE);
        }
        try {
            return (int) Linked.MPI_Comm_set_errhandler.invokeExact(comm, errhandler);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)`
    public static int MPI_Comm_get_attr(long comm, int comm_keyval, MemorySegment attribute_val, MemorySegment flag) {
        class Linked {
            static final MethodHandle MPI_Comm_get_attr = link("MPI_Comm_get_attr", HANDLE, INT, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_get_attr.invokeExact(comm, comm_keyval, attribute_val, flag);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Communicators() {}
}
