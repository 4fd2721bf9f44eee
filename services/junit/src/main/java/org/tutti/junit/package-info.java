/// Tests of JUnit Jupiter whose methods run on several ranks, with one verdict.
///
///     RanksTest ──▶ RanksExtension ──a run for each number of ranks──▶ RanksInvocation
///                                                                       │          │
///                                                    Tutti.local ◀──────┘          └──────▶ ProcessRanks, Tutti.spawn
///                                                         └────▶ RankFailures ◀── TestProcess, in each process
///
/// Rules: the extension is a user of `org.tutti.mpi` like any other. A rank that fails leaves the
/// others a moment to fail by themselves before it ends the job, so that the verdict names all that are
/// wrong, and none that was merely stopped. Not here: ranks over an MPI library (start the tests' JVM
/// under `tutti run` for that), parameterized tests.
@NullMarked
package org.tutti.junit;

import org.jspecify.annotations.NullMarked;
