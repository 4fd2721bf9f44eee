/// Programs that measure, one rank each, started by `tutti bench`; their columns are those of the OSU
/// benchmarks.
///
///     BenchMain ──picks──▶ Latency | Column | Allreduce ──rows──▶ OsuTable ──▶ standard output of rank 0, and nothing
/// else
/// there
///
/// Rules: the user API alone, so that what is measured is what a user gets; warm-up before each size,
/// because a JVM is slow until it has compiled; figures are means over many iterations in one process, so
/// compare medians of several launches. Not here yet: bandwidth, further collectives, objects, startup,
/// plots, JMH.
@NullMarked
package org.tutti.bench;

import org.jspecify.annotations.NullMarked;
