/// Watches the calls between a program and an engine, as PMPI does in C. Each observer is an
/// [org.tutti.spi.Observer], which the API loads as a service and notifies before and after each call.
///
///     EngineCalls (org.tutti.mpi) ──▶ engine
///       └──▶ Recorder, Checker (libmpi)
///                │        └── compares the ranks' calls before the data is transferred
///                ├──▶ FlightRing: the last 4,096 operations, in the job's shared memory
///                └──▶ Caller: the blocking call of each thread ──▶ BlockedCallReporter ──▶ the job's wait page
///
/// A lock of a window has no entry, because it costs less than an entry. The source line of the lock is stored
/// in the window's memory; the reporter of a rank that waits for the lock reads it from there. The stack is
/// walked for a lock according to the same rule as for operations.
///
/// Independently of this, package `calls` logs every call for profiles and traces.
///
/// Decision records 49 and 50 give the reasons. The launcher reads all of this: it detects deadlocks, names the
/// first difference between ranks, and writes reports.
@NullMarked
package org.tutti.inspect;

import org.jspecify.annotations.NullMarked;
