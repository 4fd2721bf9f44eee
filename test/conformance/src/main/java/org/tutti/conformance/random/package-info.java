/// Random legal programs: what is right is known from the seed alone, and every rank checks all that it gets.
///
///     RandomMain ──seeds──▶ RandomProgram ──steps──▶ ExchangeStep, CollectiveStep, Burst, ObjectStep, a split …
///                      └──▶ ThreadedProgram ──steps of up to three threads──▶ these, CreationStep, NeighborStep,
///                                                                            PartitionedStep, FileStep, WindowProgram
///
/// All ranks draw the steps from one seed, so each knows what all do. The order in which a rank posts, waits and
/// probes, and where its buffers lie, is its own. A program is legal, so it ends, and the standard says with
/// which
/// values: where a wildcard leaves open who comes first, what is checked is that every sender's messages come in
/// their order, each once.
@NullMarked
package org.tutti.conformance.random;

import org.jspecify.annotations.NullMarked;
