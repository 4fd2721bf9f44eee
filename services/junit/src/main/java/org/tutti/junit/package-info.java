/// JUnit Jupiter tests that run on several ranks, with one result.
///
///     RanksTest ──▶ RanksExtension ──a run for each number of ranks──▶ RanksInvocation
///                                                                       │          │
///                                                    Tutti.local ◀──────┘          └────▶ ProcessRanks, Tutti.spawn
///                                                         └────▶ RankFailures ◀── TestProcess, in each process
///
/// Rules: to run ranks, the extension uses only the public API of `org.tutti.mpi`. After the first failure the
/// other ranks have some time to fail independently before the job is ended, so that the result lists every rank
/// that has failed, but no rank that was only stopped. Not implemented: ranks over an MPI library (run the tests'
/// JVM under `tutti run` for that), parameterized tests.
@NullMarked
package org.tutti.junit;

import org.jspecify.annotations.NullMarked;
