/// The environment of a rank before it sends data: identity and location, time and memory; calls from many
/// threads at the same time, platform and virtual threads; and the texts for wrong arguments that belong to no
/// other package. MPI 4.1, chapters 9 and 11.
@NullMarked
package org.tutti.conformance.contract.environment;

import org.jspecify.annotations.NullMarked;
