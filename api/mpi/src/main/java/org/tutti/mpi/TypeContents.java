package org.tutti.mpi;

import java.util.List;

/// The arguments with which a [Datatype] was created, in the order of `MPI_Type_get_contents` (MPI 4.1, section
/// 5.1.13): first counts, lengths and displacements in elements, then displacements in bytes, then types.
///
/// | combiner | integers | addresses | types |
/// |---|---|---|---|
/// | `NAMED` | | | |
/// | `DUP` | | | old |
/// | `CONTIGUOUS` | count | | old |
/// | `VECTOR` | count, block length, stride | | old |
/// | `HVECTOR` | count, block length | stride | old |
/// | `INDEXED` | count, block lengths, displacements | | old |
/// | `HINDEXED` | count, block lengths | displacements | old |
/// | `INDEXED_BLOCK` | count, block length, displacements | | old |
/// | `HINDEXED_BLOCK` | count, block length | displacements | old |
/// | `STRUCT` | count, block lengths | displacements | one for each block |
/// | `SUBARRAY` | dimensions, sizes, part's sizes, starts, order (0 is C) | | old |
/// | `DARRAY` | size, rank, dimensions, sizes, distributions (their ordinals), arguments, processes, order | | old |
/// | `RESIZED` | | lower bound, extent | old |
///
/// @param combiner the constructor
/// @param integers counts, lengths and displacements in elements
/// @param addresses displacements in bytes
/// @param types the types from which the type was created
public record TypeContents(Combiner combiner, List<Long> integers, List<Long> addresses, List<Datatype> types) {
    /// Copies the lists.
    public TypeContents {
        integers = List.copyOf(integers);
        addresses = List.copyOf(addresses);
        types = List.copyOf(types);
    }
}
