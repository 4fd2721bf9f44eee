package mpi;

/// The shape of a graph: see [Graphcomm#Get].
public class GraphParms {
    public int[] index;
    public int[] edges;

    public GraphParms() {
        this(new int[0], new int[0]);
    }

    GraphParms(int[] index, int[] edges) {
        this.index = index;
        this.edges = edges;
    }
}
