/// The operations that an engine must implement: the only interface between the user API and the engines.
///
///     Comm, Request (org.tutti.mpi) ──fill in──▶ Transfer | Collective ──start, test, await, run──▶ Engine
///
/// An [org.tutti.spi.Activity] is a prepared piece of communication: created blank by the engine, filled in by
/// the caller, started, completed, and then reused. Blocking calls `run` an activity, nonblocking calls `start`
/// an activity, and persistent requests start the same activity repeatedly. This limits [org.tutti.spi.Engine]
/// to about fifteen methods and avoids allocation on the message path. Failures are reported as
/// [org.tutti.spi.Fault].
///
/// Rules: arguments are checked above this interface, once; an engine does not check arguments again. An engine
/// never prints. All methods are thread-safe, but an `Activity` is used by one thread at a time.
///
/// An engine is never wrapped. Calls are watched by an [org.tutti.spi.Observer], which the caller notifies. An
/// optional capability is an [org.tutti.spi.Power], which the caller requests: [org.tutti.spi.Windows] for
/// one-sided communication, [org.tutti.spi.Spawning] or [org.tutti.spi.LibrarySpawning] for new processes,
/// [org.tutti.spi.NameService] for connections between worlds. [org.tutti.spi.ConnectionMemory] connects groups
/// of different jobs, with a separate engine.
///
/// [org.tutti.spi.Spawner] is the interface to a launcher, with which a running program starts ranks as
/// processes.
///
/// Files (MPI 4.1, chapter 14) are not part of an engine, but implemented with collective calls and a window.
/// All sessions (section 11.3) of a process are views of the same engine.
@NullMarked
package org.tutti.spi;

import org.jspecify.annotations.NullMarked;
