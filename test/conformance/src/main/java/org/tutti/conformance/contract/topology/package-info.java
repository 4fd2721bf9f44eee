/// Grids and graphs: each rank's coordinates and neighbors are those that the standard counts out, and a
/// neighborhood call exchanges with exactly them, in their order, once for each edge. MPI 4.1, chapter 8.
@NullMarked
package org.tutti.conformance.contract.topology;

import org.jspecify.annotations.NullMarked;
