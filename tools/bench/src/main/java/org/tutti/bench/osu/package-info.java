/// OSU's micro-benchmarks: the same loops, options and columns, on the user API.
///
///     Osu ──picks──▶ Pairs (PingPong, Stream)                 ranks 0 and 1, or halves of the ranks
///                    CollectiveTests, Overlaps                all ranks, blocking and nonblocking
///                    (a CollectiveTable of CollectiveUnderTest)
///                    FileTests                                all ranks, one file
///          rows ──▶ OsuTable ──▶ Report
///
/// `bench.c` has the loops of those that are compared with C. What differs from OSU: how often is
/// repeated (Pace), one table of objects, a column of a matrix, bus bandwidth and wrong elements of
/// allreduce as in nccl-tests, files. Not here yet: persistent and neighborhood operations.
@NullMarked
package org.tutti.bench.osu;

import org.jspecify.annotations.NullMarked;
