/// `tutti bench`: measurements that are comparable with OSU's, nccl-tests', mpi4py's and C's.
///
///     the command ──▶ Bench ──▶ org.tutti.launch ──▶ ranks: BenchMain ──▶ osu | mpi4py | kernels ──▶ measure
///                      │  ▲                                                                          │ lines of rank 0
///                      │  └──────────────────── report.Result ◀──────────────────────────────────────┘
///                      └──▶ report: table, CSV, JSON, chart
///     compare: measurements of Tutti, C and Python in alternation
///
/// Rules: code in ranks (osu, mpi4py, kernels, measure) uses only the user API, including devices and pools;
/// code that draws charts and writes files runs in the launcher, so that no rank loads this code. Results are
/// means in one process: compare medians of several launches, as [org.tutti.bench.compare] does. Not
/// implemented yet: spawned processes.
@NullMarked
package org.tutti.bench;

import org.jspecify.annotations.NullMarked;
