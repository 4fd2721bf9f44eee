/// Derived types: exactly the bytes that a type names are sent and written, in messages, collective calls and
/// neighborhoods, and the two sides may describe the same elements in different ways. Parts of matrices,
/// records and
/// packed data are such types. One that cannot be made, or does not lie in its buffer, is refused. MPI 4.1,
/// chapter 5.
@NullMarked
package org.tutti.conformance.contract.type;

import org.jspecify.annotations.NullMarked;
