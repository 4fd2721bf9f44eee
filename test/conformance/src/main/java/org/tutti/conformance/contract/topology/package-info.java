/// Grids and graphs: coordinates and neighbors follow the numbering of the standard. A neighborhood call
/// exchanges data only with these neighbors, in order, once for each edge. MPI 4.1, chapter 8.
@NullMarked
package org.tutti.conformance.contract.topology;

import org.jspecify.annotations.NullMarked;
