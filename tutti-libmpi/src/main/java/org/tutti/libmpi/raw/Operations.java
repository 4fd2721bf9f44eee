package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Reduction operations of users: MPI 4.1, section 6.9.5.
public final class Operations {
    /// `int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)`
    public static int MPI_Op_create(MemorySegment user_fn, int commute, MemorySegment op) {
        class Linked {
            static final MethodHandle MPI_Op_create = link("MPI_Op_create", POINTER, INT, POINTER);
        }
        try {
            return (int) Linked.MPI_Op_create.invokeExact(user_fn, commute, op);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    /// `int MPI_Op_free(MPI_Op *op)`
    public static int MPI_Op_free(MemorySegment op) {
        class Linked {
            static final MethodHandle MPI_Op_free = link("MPI_Op_free", POINTER);
        }
        try {
            return (int) Linked.MPI_Op_free.invokeExact(op);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Operations() {}
}
