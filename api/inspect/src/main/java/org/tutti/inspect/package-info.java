/// What watches a program's calls of an engine, whichever it is, as PMPI does in C: each an
/// [org.tutti.spi.Observer], which the API finds as a service and tells before and after each call.
///
///     EngineCalls (org.tutti.mpi) ──▶ engine
///       └──▶ Recorder, Checker (libmpi)
///                │        └── compares the ranks' calls before their data moves
///                ├──▶ FlightRing: the last 4,096 operations, in the job's shared memory
///                └──▶ Caller: what each thread is blocked in ──▶ BlockedCallReporter ──▶ the job's page of waits
///
/// A lock of a window makes no entry, because it costs less than one: its line goes into the window's own memory,
/// where the reporter of a rank that waits for the lock finds it, by the same rule of when the stack is walked.
///
/// Package `calls` writes down every call for profiles and traces, outside of all this.
///
/// Records 49 and 50 say why. The launcher reads all of it: it proves deadlocks, names where ranks part,
/// writes reports.
@NullMarked
package org.tutti.inspect;

import org.jspecify.annotations.NullMarked;
