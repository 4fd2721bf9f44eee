/// Grids and graphs: each rank's coordinates and neighbors follow the standard's numbering, and a
/// neighborhood call exchanges data with exactly these neighbors, in order, once for each edge. MPI 4.1,
/// chapter 8.
@NullMarked
package org.tutti.conformance.contract.topology;

import org.jspecify.annotations.NullMarked;
