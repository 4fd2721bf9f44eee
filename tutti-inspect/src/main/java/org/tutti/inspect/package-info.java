/// What looks at a program's calls on their way to the engine, whichever it is, as PMPI does in C: each
/// an [org.tutti.spi.Interceptor] that the API finds as a service.
///
///     Mpi ──▶ Recorder ──▶ Checker (libmpi) ──▶ engine
///                │              └── compares the ranks' calls before their data moves
///                ├──▶ FlightRing: the last 4,096 operations, in the job's shared memory
///                └──▶ Caller: what each thread is blocked in ──▶ NativeWaits (libmpi) ──▶ the board's page of waits
///
/// Package `calls` writes down every call for profiles and traces, outside of all this.
///
/// Records 49 and 50 say why. The launcher reads all of it: it proves deadlocks, names where ranks part,
/// writes reports.
@NullMarked
package org.tutti.inspect;

import org.jspecify.annotations.NullMarked;
