/// The search for engines, and progress while no thread of the program is waiting.
///
///     Engines ──▶ an engine and its observer ──▶ EngineCalls (org.tutti.mpi)
///     ProgressThread ──polls──▶ stages, partitioned receives, connections with other jobs
///     NullComm: the communicator of a rank that is not a member
///
/// Rules: this package is independent of the user API's types. A refusal is a [org.tutti.spi.Fault], which the
/// user API converts.
@NullMarked
package org.tutti.mpi.engine;

import org.jspecify.annotations.NullMarked;
