/// `tutti bench compare`: compares Tutti with C on the same libraries and with mpi4py, on this machine.
///
///     Compare ── launch by launch, alternating ──▶ Contender: TuttiContender | CContender | PythonContender
///        │                                                     (Bench)   (bench.c, kernels.c)  (bench.py)
///        └── Measurements ──▶ ResultTable (medians, intervals, paired ratios) ──▶ ComparisonReport: table, CSV, charts
///
/// Rules: a value is one launch of new processes; contenders of one comparison run one after the other, so that
/// a ratio refers to the same minutes; every omitted contender is reported.
@NullMarked
package org.tutti.bench.compare;

import org.jspecify.annotations.NullMarked;
