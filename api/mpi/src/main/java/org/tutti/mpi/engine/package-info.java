/// Engines, before and beside what the program calls: how they are found, and what goes on while nobody waits.
///
///     Engines ──▶ an engine and who watches it ──▶ EngineCalls (org.tutti.mpi)
///     ProgressThread ──looks at──▶ stages, receives in parts, connections with other jobs
///     NullComm: the communicator of a rank that is in none
///
/// Rules: knows none of the user's types. A refusal is a [org.tutti.spi.Fault], which the user API throws in its own
/// form.
@NullMarked
package org.tutti.mpi.engine;

import org.jspecify.annotations.NullMarked;
