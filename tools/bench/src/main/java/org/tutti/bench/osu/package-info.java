/// OSU's micro-benchmarks: the same loops, options and columns, on the user API.
///
///     Osu ──selects──▶ Pairs (LatencyTest, Stream, AccessTest)  ranks 0 and 1, or halves of the ranks
///                      CollectiveTests, Overlaps                all ranks, blocking and nonblocking
///                      (a CollectiveTable of CollectiveUnderTest)
///                      FileTests                                all ranks, one file
///            rows ──▶ OsuTable ──▶ Report
///
/// `bench.c` contains the same loops for the comparison with C. Differences from OSU: the number of iterations
/// (IterationPlan), a single table for objects, the test of a matrix column, the file tests, and for allreduce
/// the bus bandwidth and the number of wrong elements, as in nccl-tests. Not implemented yet: persistent and
/// neighborhood operations.
@NullMarked
package org.tutti.bench.osu;

import org.jspecify.annotations.NullMarked;
