/// The environment of a rank: identity and location, time and memory, concurrent calls of platform and virtual
/// threads, and the error texts that no other package checks. MPI 4.1, chapters 9 and 11.
@NullMarked
package org.tutti.conformance.contract.environment;

import org.jspecify.annotations.NullMarked;
