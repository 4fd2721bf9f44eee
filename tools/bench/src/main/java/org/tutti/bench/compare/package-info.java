/// `tutti bench compare`: compares Tutti with C on the same libraries and with mpi4py, on this machine.
///
///     Compare ── launch by launch, alternating ──▶ Contender: TuttiContender | CContender | PythonContender
///        │                                                     (Bench)   (bench.c, kernels.c)  (bench.py)
///        └── Measurements ──▶ ResultTable (medians, intervals, paired ratios) ──▶ ComparisonReport: table, CSV, charts
///
/// Rules: each launch starts new processes, and contributes one value for each size of a test. The contenders of
/// a comparison run in alternation, so that the two values of a ratio were measured within the same minutes.
/// Every omitted contender is reported with the reason.
@NullMarked
package org.tutti.bench.compare;

import org.jspecify.annotations.NullMarked;
