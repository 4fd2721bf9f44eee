/// `tutti bench`: measurements that can be set beside OSU's, nccl-tests', mpi4py's and C's.
///
///     the command ──▶ Bench ──▶ org.tutti.launch ──▶ ranks: BenchMain ──▶ osu | mpi4py | kernels ──▶ measure
///                      │  ▲                                                                          │ lines of rank 0
///                      │  └──────────────────── report.Result ◀──────────────────────────────────────┘
///                      └──▶ report: table, CSV, JSON, picture
///     compare: many of them in turns, beside C and Python
///
/// Rules: what runs in ranks (osu, mpi4py, kernels, measure) knows the user API, that of devices and that of
/// pools alone; what draws and writes runs in the launcher, so that no rank loads it. Figures are means in one
/// process: compare medians of several launches, as [org.tutti.bench.compare] does. Not here yet: spawned
/// processes.
@NullMarked
package org.tutti.bench;

import org.jspecify.annotations.NullMarked;
