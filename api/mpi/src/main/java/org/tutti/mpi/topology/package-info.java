/// The arithmetic of topologies, independent of engines and of the user API's types.
///
/// Rules: a refusal is a [org.tutti.spi.Fault], which the user API converts.
@NullMarked
package org.tutti.mpi.topology;

import org.jspecify.annotations.NullMarked;
