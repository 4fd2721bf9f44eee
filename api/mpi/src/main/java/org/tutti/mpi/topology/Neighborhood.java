package org.tutti.mpi.topology;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective.Neighbors;

/// The neighbors of a rank in a topology.
///
/// @param neighbors the neighbors in the engines' format
/// @param problem the reason why communication with the neighbors is not possible; null if it is possible
public record Neighborhood(Neighbors neighbors, @Nullable String problem) {
    public static final Neighborhood NONE = new Neighborhood(new int[0], new int[0]);

    public Neighborhood(int[] sources, int[] destinations, int[] sendOrder) {
        this(new Neighbors(sources, destinations, sendOrder), null);
    }

    /// Creates a neighborhood in which messages are sent in the order of `destinations`.
    public Neighborhood(int[] sources, int[] destinations) {
        this(sources, destinations, IntStream.range(0, destinations.length).toArray());
    }
}
