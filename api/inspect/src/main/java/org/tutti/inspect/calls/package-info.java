/// Logs the calls of a rank, for `tutti run --profile` and `--trace` only.
///
///     Mpi ──▶ Logger ──▶ Recorder … engine          Clocks: the time on rank 0's machine
///                │
///                └──▶ CallLog (org.tutti.job.calls): a file that the launcher reads ◀── JvmEvents: events of the JVM
///
/// The logger is further from the engine than the recorder, because it logs calls from the program's point of
/// view, and reads the recorder's results when a call returns.
@NullMarked
package org.tutti.inspect.calls;

import org.jspecify.annotations.NullMarked;
