/// Derived types: exactly the bytes of a type are sent and written, in messages, collective calls and
/// neighborhoods, and the two sides may describe the same elements in different forms. Parts of matrices,
/// records and packed data are such types. An invalid type, or a type that exceeds the buffer, is refused. MPI
/// 4.1, chapter 5.
@NullMarked
package org.tutti.conformance.contract.type;

import org.jspecify.annotations.NullMarked;
