/// Collective operations: each rank gets what a plain loop over all ranks' data says, blocking, nonblocking and
/// persistent, in place and not, with blocks of one length or of many, for every root. Operands are combined in
/// the
/// order of ranks unless the operation commutes. Wrong arguments are found on the rank that passed them.
/// MPI 4.1, chapter 6.
@NullMarked
package org.tutti.conformance.contract.collective;

import org.jspecify.annotations.NullMarked;
