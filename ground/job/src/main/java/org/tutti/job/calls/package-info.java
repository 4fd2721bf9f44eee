/// Call logs of ranks for the launcher: time per program line, and a trace of messages.
///
///     CallLog: a rank writes ──▶ CallRecord: the format ──▶ CallFile: the launcher reads
///
/// The package is independent of engines, and is used only on request (`tutti run --profile`, `--trace`).
@NullMarked
package org.tutti.job.calls;

import org.jspecify.annotations.NullMarked;
