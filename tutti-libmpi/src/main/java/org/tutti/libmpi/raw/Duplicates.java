package org.tutti.libmpi.raw;

import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.POINTER;
import static org.tutti.libmpi.raw.Link.link;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Communicators that are made behind a request: MPI 4.1, section 7.4.2.
public final class Duplicates {
    /// `int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)`
    public static int MPI_Comm_idup(long comm, MemorySegment newcomm, MemorySegment request) {
        class Linked {
            static final MethodHandle MPI_Comm_idup = link("MPI_Comm_idup", HANDLE, POINTER, POINTER);
        }
        try {
            return (int) Linked.MPI_Comm_idup.invokeExact(comm, newcomm, request);
        } catch (Throwable t) {
            throw Link.unexpected(t);
        }
    }

    private Duplicates() {}
}
