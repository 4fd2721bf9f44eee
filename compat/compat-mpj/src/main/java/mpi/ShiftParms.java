package mpi;

/// The source and the destination of a shift: see [Cartcomm#Shift].
public class ShiftParms {
    public int rank_source;
    public int rank_dest;

    ShiftParms(int source, int dest) {
        rank_source = source;
        rank_dest = dest;
    }
}
