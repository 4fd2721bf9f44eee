/// The components of all measurements, in the ranks: data, numbers of iterations, and the report of rank 0.
///
///     BenchMemory ──▶ Data (buffers, verified with a Pattern)
///     IterationPlan (warm-up, iterations) ──▶ Report ──lines──▶ the launcher
///
/// Rules: only the user API, including devices, so that results apply to users; no decisions and no reports
/// inside measured code.
@NullMarked
package org.tutti.bench.measure;

import org.jspecify.annotations.NullMarked;
