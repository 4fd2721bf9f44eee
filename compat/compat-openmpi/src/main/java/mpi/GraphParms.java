package mpi;

/// The result of [GraphComm#getDims].
public final class GraphParms {
    private final int[] index;
    private final int[] edges;

    GraphParms(int[] index, int[] edges) {
        this.index = index;
        this.edges = edges;
    }

    public int getIndex(int i) {
        return index[i];
    }

    public int getEdge(int i) {
        return edges[i];
    }

    public int getIndexCount() {
        return index.length;
    }

    public int getEdgeCount() {
        return edges.length;
    }
}
