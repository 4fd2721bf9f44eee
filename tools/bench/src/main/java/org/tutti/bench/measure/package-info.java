/// The components of all measurements, in the ranks: data, numbers of iterations, and the report of rank 0.
///
///     BenchMemory ──▶ Data (buffers, verified with a Pattern)
///     IterationPlan (warm-up, iterations) ──▶ Report ──lines──▶ the launcher
///
/// Rules: measured code uses only the user API, including devices, so that results apply to users; it contains no
/// decisions and no reports.
@NullMarked
package org.tutti.bench.measure;

import org.jspecify.annotations.NullMarked;
