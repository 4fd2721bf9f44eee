/// Signals that request the end of a process.
///
///     Signals ──reflection──▶ sun.misc.Signal     a handler, or none
///     Termination ──▶ Signals                     a rank's SIGTERM, SIGINT and SIGUSR1, for `Mpi.onTermination`
///     SignalGuard                                 restores JVM handlers that a native library has replaced
///
/// Rules: this package does not depend on the other packages of the job.
@NullMarked
package org.tutti.job.signal;

import org.jspecify.annotations.NullMarked;
