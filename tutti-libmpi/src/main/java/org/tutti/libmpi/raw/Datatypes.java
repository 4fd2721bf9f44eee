package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Derived datatypes: MPI 4.1, chapter 5.
public final class Datatypes {
    /// `int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)`
    public static int MPI_Type_contiguous(int count, long oldtype, MemorySegment newtype) {
        class Linked {
            static final MethodHandle MPI_Type_contiguous = link("MPI_Type_contiguous", INT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Type_contiguous.invokeExact(count, oldtype, newtype);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Type_create_struct(int count, const int *blocklengths, const MPI_Aint *displacements, const
    /// MPI_Datatype *types, MPI_Datatype *newtype)`
    public static int MPI_Type_create_struct(
            int count,
            MemorySegment blocklengths,
            MemorySegment displacements,
            MemorySegment types,
            MemorySegment newtype) {
        class Linked {
            static final MethodHandle MPI_Type_create_struct =
                    link("MPI_Type_create_struct", INT, POINTER, POINTER, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Type_create_struct.invokeExact(count, blocklengths, displacements, types, newtype);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Type_commit(MPI_Datatype *datatype)`
    public static int MPI_Type_commit(MemorySegment datatype) {
        class Linked {
            static final MethodHandle MPI_Type_commit = link("MPI_Type_commit", POINTER);
        }
        try {
            return (int) Linked.MPI_Type_commit.invokeExact(datatype);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Type_free(MPI_Datatype *datatype)`
    public static int MPI_Type_free(MemorySegment datatype) {
        class Linked {
            static final MethodHandle MPI_Type_free = link("MPI_Type_free", POINTER);
        }
        try {
            return (int) Linked.MPI_Type_free.invokeExact(datatype);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Datatypes() {}
}
