package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Groups of ranks: MPI 4.1, sections 7.3 and 7.4.2.
public final class Groups {
    /// `int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)`
    public static int MPI_Comm_group(long comm, MemorySegment group) {
        class Linked {
            static final MethodHandle MPI_Comm_group = link("MPI_Comm_group", HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_group.invokeExact(comm, group);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup)`
    public static int MPI_Group_incl(long group, int n, MemorySegment ranks, MemorySegment newgroup) {
        class Linked {
            static final MethodHandle MPI_Group_incl = link("MPI_Group_incl", HANDLE, INT, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Group_incl.invokeExact(group, n, ranks, newgroup);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Group_translate_ranks(MPI_Group group1, int n, const int *ranks1, MPI_Group group2, int
    /// *ranks2)`
    public static int MPI_Group_translate_ranks(
            long group1, int n, MemorySegment ranks1, long group2, MemorySegment ranks2) {
        class Linked {
            static final MethodHandle MPI_Group_translate_ranks =
                    link("MPI_Group_translate_ranks", HANDLE, INT, POINTER, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Group_translate_ranks.invokeExact(group1, n, ranks1, group2, ranks2);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Group_free(MPI_Group *group)`
    public static int MPI_Group_free(MemorySegment group) {
        class Linked {
            static final MethodHandle MPI_Group_free = link("MPI_Group_free", POINTER);
        }
        try {
            return (int) Linked.MPI_Group_free.invokeExact(group);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)`
    public static int MPI_Comm_create_group(long comm, long group, int tag, MemorySegment newcomm) {
        class Linked {
            static final MethodHandle MPI_Comm_create_group =
                    link("MPI_Comm_create_group", HANDLE, HANDLE, INT, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_create_group.invokeExact(comm, group, tag, newcomm);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Groups() {}
}
