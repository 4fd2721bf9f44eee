/// The environment of a rank before communication: identity and location, time and memory; concurrent calls
/// from platform and virtual threads; and the error texts of arguments without a separate package. MPI 4.1,
/// chapters 9 and 11.
@NullMarked
package org.tutti.conformance.contract.environment;

import org.jspecify.annotations.NullMarked;
