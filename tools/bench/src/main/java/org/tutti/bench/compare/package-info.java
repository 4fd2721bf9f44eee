/// `tutti bench compare`: Tutti beside C on the same libraries and beside mpi4py, on this machine, now.
///
///     Compare ── launch by launch, in turns ──▶ Contender: TuttiContender | CContender | PythonContender
///        │                                              (Bench)      (bench.c, kernels.c)  (bench.py)
///        └── Book of all values ──▶ Standings (medians, intervals, paired ratios) ──▶ Paper: table, CSV, pictures
///
/// Rules: a value is one launch of new processes; what is compared with each other is run one after the
/// other, so that a ratio is one of the same minutes; nobody is left out in silence.
@NullMarked
package org.tutti.bench.compare;

import org.jspecify.annotations.NullMarked;
