/// Random legal programs. The expected results depend only on the seed, and every rank checks all received
/// data.
///
///     RandomMain ──seeds──▶ RandomProgram ──steps──▶ ExchangeStep, CollectiveStep, Burst, ObjectStep, a split …
///                      └──▶ ThreadedProgram ──steps of up to three threads──▶ these, CreationStep, NeighborStep,
///                                                                            PartitionedStep, FileStep, WindowProgram
///
/// All ranks draw the steps from one seed, so each rank can compute the steps of all ranks. Each rank chooses
/// the order of posts, waits and probes, and the memory of the buffers. Because a program is legal, it ends,
/// and the standard determines the values. Where a wildcard allows several orders, the messages of each sender
/// must arrive in order, and each exactly once.
@NullMarked
package org.tutti.conformance.random;

import org.jspecify.annotations.NullMarked;
