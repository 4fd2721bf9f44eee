/// What topologies know of themselves, without an engine and without the user's types.
///
/// Rules: a refusal is a [org.tutti.spi.Fault], which the user API throws in its own form.
@NullMarked
package org.tutti.mpi.topology;

import org.jspecify.annotations.NullMarked;
