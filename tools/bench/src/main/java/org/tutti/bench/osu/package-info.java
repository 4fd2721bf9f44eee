/// OSU's micro-benchmarks: the same loops, options and columns, on the user API.
///
///     Osu ──selects──▶ Pairs (LatencyTest, Stream, AccessTest)  ranks 0 and 1, or halves of the ranks
///                      CollectiveTests, Overlaps                all ranks, blocking and nonblocking
///                      (a CollectiveTable of CollectiveUnderTest)
///                      FileTests                                all ranks, one file
///            rows ──▶ OsuTable ──▶ Report
///
/// `bench.c` contains the same loops for the comparison with C. Differences from OSU: the number of iterations
/// (IterationPlan), one table for objects, a column of a matrix, bus bandwidth and wrong elements of allreduce
/// as in nccl-tests, files. Not implemented yet: persistent and neighborhood operations.
@NullMarked
package org.tutti.bench.osu;

import org.jspecify.annotations.NullMarked;
