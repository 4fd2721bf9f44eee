/// Collective operations: each rank gets the result of a plain loop over the data of all ranks, blocking,
/// nonblocking and persistent, in place and not, with blocks of equal or different lengths, for every root.
/// Operands are combined in rank order unless the operation is commutative. A rank that passes a wrong argument
/// gets the error. MPI 4.1, chapter 6.
@NullMarked
package org.tutti.conformance.contract.collective;

import org.jspecify.annotations.NullMarked;
