package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.COUNT;
import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Starting, ending, asking, errors: MPI 4.1, chapters 9 and 11.
public final class Environment {
    /// `int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)`
    public static int MPI_Init_thread(MemorySegment argc, MemorySegment argv, int required, MemorySegment provided) {
        class Linked {
            static final MethodHandle MPI_Init_thread = link("MPI_Init_thread", POINTER, POINTER, INT, POINTER);
        }
        try {
            return (int) Linked.MPI_Init_thread.invokeExact(argc, argv, required, provided);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Finalize(void)`
    public static int MPI_Finalize() {
        class Linked {
            static final MethodHandle MPI_Finalize = link("MPI_Finalize");
        }
        try {
            return (int) Linked.MPI_Finalize.invokeExact();
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    // before it is needed: a rank that is out of memory or stack links nothing any more
    private static final MethodHandle MPI_Abort = link("MPI_Abort", HANDLE, INT);

    /// `int MPI_Abort(MPI_Comm comm, int errorcode)`
    public static int MPI_Abort(long comm, int errorcode) {
        try {
            return (int) MPI_Abort.invokeExact(comm, errorcode);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Error_class(int errorcode, int *errorclass)`
    public static int MPI_Error_class(int errorcode, MemorySegment errorclass) {
        class Linked {
            static final MethodHandle MPI_Error_class = link("MPI_Error_class", INT, POINTER);
        }
        try {
            return (int) Linked.MPI_Error_class.invokeExact(errorcode, errorclass);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Error_string(int errorcode, char *string, int *resultlen)`
    public static int MPI_Error_string(int errorcode, MemorySegment string, MemorySegment resultlen) {
        class Linked {
            static final MethodHandle MPI_Error_string = link("MPI_Error_string", INT, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Error_string.invokeExact(errorcode, string, resultlen);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Get_processor_name(char *name, int *resultlen)`
    public static int MPI_Get_processor_name(MemorySegment name, MemorySegment resultlen) {
        class Linked {
            static final MethodHandle MPI_Get_processor_name = link("MPI_Get_processor_name", POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Get_processor_name.invokeExact(name, resultlen);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)`
    public static int MPI_Alloc_mem(long size, long info, MemorySegment baseptr) {
        class Linked {
            static final MethodHandle MPI_Alloc_mem = link("MPI_Alloc_mem", COUNT, HANDLE, POINTER);
        }
        try {
            return (int) Linked.MPI_Alloc_mem.invokeExact(size, info, baseptr);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Environment() {}
}
