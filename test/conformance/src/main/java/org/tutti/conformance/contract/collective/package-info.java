/// Collective operations: the result on each rank equals the result of a plain loop over the data of all ranks.
/// The contracts cover the blocking, nonblocking and persistent forms, with and without IN_PLACE, blocks of
/// equal and different lengths, and every root. Operands are combined in rank order unless the operation is
/// commutative. A rank that passes a wrong argument gets the error. MPI 4.1, chapter 6.
@NullMarked
package org.tutti.conformance.contract.collective;

import org.jspecify.annotations.NullMarked;
