/// Collective algorithms over point-to-point, for every engine.
///
///     engine's Collective ──begin, advance──▶ ScheduleRunner ──picks──▶ AlgorithmTable ──▶ AllreduceRing,
/// GatherLinear, …
///                                               │      ▲                                     │
///                            start(Transfer)    │      └───────── Schedule ◀──── plan ───────┘
///                                               ▼
///                                            Engine (org.tutti.spi)
///
/// An algorithm is a pure function of the call (rank, size, counts, root, operation) that writes a program
/// into a [org.tutti.coll.Schedule]: send, receive, await, copy, reduce. A [org.tutti.coll.ScheduleRunner]
/// executes the program without ever blocking. So one algorithm serves blocking, nonblocking and persistent
/// calls, and an algorithm can be read, drawn and tested without an engine.
///
/// Rules: messages travel in the collective lane, tagged with the call's number, so that neither a user's
/// receive nor another call can match them. What an algorithm does to a message's peer must follow from
/// values that are equal on all ranks: kind, size, root, operation, total bytes where the standard makes them
/// equal; never heap or off-heap, in place or not, or arrival order. Operands are combined in one order for a
/// given number of ranks, in rank order unless the operation is commutative, and every rank of an allreduce
/// gets the same bits. Scratch memory is bounded: long vectors are run slice by slice.
@NullMarked
package org.tutti.coll;

import org.jspecify.annotations.NullMarked;
