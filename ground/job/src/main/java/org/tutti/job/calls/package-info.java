/// What ranks write down of their calls for the launcher to read: where time goes, and what was sent when.
///
///     CallLog: a rank writes ──▶ CallRecord: the bytes ──▶ CallFile: the launcher reads
///
/// Knows no engine; only there when somebody asks (`tutti run --profile`, `--trace`).
@NullMarked
package org.tutti.job.calls;

import org.jspecify.annotations.NullMarked;
