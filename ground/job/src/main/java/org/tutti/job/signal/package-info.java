/// Signals that ask a process to end.
///
///     Signals ──reflection──▶ sun.misc.Signal     a handler, or none
///     Termination ──▶ Signals                     a rank's SIGTERM, SIGINT and SIGUSR1, for `Mpi.onTermination`
///     SignalGuard                                 the JVM's handlers, put back when a native library has taken them
///
/// Rules: nothing here depends on the rest of the job.
@NullMarked
package org.tutti.job.signal;

import org.jspecify.annotations.NullMarked;
