/// Derived types: messages, collective calls and neighborhood calls send and write exactly the bytes of a type,
/// and sender and receiver may describe the same elements by different types. Parts of matrices, records and
/// packed data are such types. An invalid type is refused, and so is a type that exceeds the buffer. MPI 4.1,
/// chapter 5.
@NullMarked
package org.tutti.conformance.contract.type;

import org.jspecify.annotations.NullMarked;
