package mpi;

import org.tutti.mpi.Comm;

/// The original's numbers for what is no rank, tag or color, and Tutti's.
final class MpjNumbers {
    static final int UNDEFINED = -1, ANY = -2, PROC_NULL = -3;

    private MpjNumbers() {}

    /// Of a receive or probe.
    static int source(String operation, int source, boolean onGrid) {
        if (source >= 0) return source;
        if (source == ANY) return Comm.ANY_SOURCE;
        return nobody(operation, "source", source, onGrid, ", nor MPI.ANY_SOURCE (-2)");
    }

    /// Of a send.
    static int dest(String operation, int dest, boolean onGrid) {
        return dest >= 0 ? dest : nobody(operation, "dest", dest, onGrid, "");
    }

    /// On a grid, [Cartcomm#Shift] gives -1 for nobody.
    private static int nobody(String operation, String what, int rank, boolean onGrid, String orElse) {
        if (rank == PROC_NULL || onGrid && rank == UNDEFINED) return Comm.PROC_NULL;
        throw new MPIException(
                operation + ": " + what + "=" + rank + " is neither a rank nor MPI.PROC_NULL (-3)" + orElse);
    }

    /// Of a receive or probe.
    static int tag(String operation, int tag) {
        if (tag >= 0) return tag;
        if (tag == ANY) return Comm.ANY_TAG;
        throw new MPIException(operation + ": tag=" + tag + " is negative and not MPI.ANY_TAG (-2)");
    }

    /// What a program is given for a rank of Tutti's.
    static int rank(int rank) {
        return switch (rank) {
            case Comm.ANY_SOURCE -> ANY;
            case Comm.PROC_NULL -> PROC_NULL;
            case Comm.UNDEFINED -> UNDEFINED;
            default -> rank;
        };
    }
}
