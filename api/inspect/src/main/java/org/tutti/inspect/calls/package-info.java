/// Writes down every call of a rank, for `tutti run --profile` and `--trace`; there only when asked for.
///
///     Mpi ──▶ Logger ──▶ Recorder … engine          Clocks: which time it is on rank 0's machine
///                │
///                └──▶ CallLog (org.tutti.job.calls): a file that the launcher reads ◀── JvmEvents: what the JVM did
///
/// Outside of the recorder, because it sees calls as the program makes them, and reads what the recorder
/// has found out about a call when the call returns.
@NullMarked
package org.tutti.inspect.calls;

import org.jspecify.annotations.NullMarked;
