package mpi;

import org.tutti.mpi.Comm;

/// Converts special ranks, tags and colors between the original and Tutti.
final class MpjNumbers {
    static final int UNDEFINED = -1, ANY = -2, PROC_NULL = -3;

    private MpjNumbers() {}

    /// Converts the source of a receive or probe.
    static int source(String operation, int source, boolean onGrid) {
        if (source >= 0) return source;
        if (source == ANY) return Comm.ANY_SOURCE;
        return procNull(operation, "source", source, onGrid, ", and not MPI.ANY_SOURCE (-2)");
    }

    /// Converts the destination of a send.
    static int dest(String operation, int dest, boolean onGrid) {
        return dest >= 0 ? dest : procNull(operation, "dest", dest, onGrid, "");
    }

    /// Converts a rank that means no process. On a grid, -1 is accepted, too, because [Cartcomm#Shift]
    /// returns it.
    private static int procNull(String operation, String argument, int rank, boolean onGrid, String orElse) {
        if (rank == PROC_NULL || onGrid && rank == UNDEFINED) return Comm.PROC_NULL;
        throw new MPIException(
                operation + ": " + argument + "=" + rank + " is not a rank or MPI.PROC_NULL (-3)" + orElse);
    }

    /// Converts the tag of a receive or probe.
    static int tag(String operation, int tag) {
        if (tag >= 0) return tag;
        if (tag == ANY) return Comm.ANY_TAG;
        throw new MPIException(operation + ": tag=" + tag + " is negative and not MPI.ANY_TAG (-2)");
    }

    /// Converts one of Tutti's ranks to the rank that the program sees.
    static int rank(int rank) {
        return switch (rank) {
            case Comm.ANY_SOURCE -> ANY;
            case Comm.PROC_NULL -> PROC_NULL;
            case Comm.UNDEFINED -> UNDEFINED;
            default -> rank;
        };
    }
}
