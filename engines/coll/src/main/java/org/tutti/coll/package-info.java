/// Collective algorithms over point-to-point, for every engine.
///
///     engine's Collective ──begin, advance──▶ ScheduleRunner ──picks──▶ AlgorithmTable ──▶ AllreduceRing, …
///                                               │      ▲                                     │
///                            start(Transfer)    │      └───────── Schedule ◀──── plan ───────┘
///                                               ▼
///                                            Engine (org.tutti.spi)
///
/// An algorithm is a pure function of the call (rank, size, counts, root, operation) that writes a program into
/// a [org.tutti.coll.Schedule]: send, receive, await, copy, reduce. A [org.tutti.coll.ScheduleRunner] executes
/// the program without blocking. One algorithm therefore serves blocking, nonblocking and persistent calls, and
/// can be read, drawn and tested without an engine.
///
/// In the costs of the algorithms, p is the number of ranks, and n the size of the operand, or of all blocks, in
/// bytes. α is the time per message, β the time per transferred byte, and γ the time per combined byte.
///
/// Rules: messages use the collective lane, tagged with the call's number, so that they match neither a user's
/// receive nor another call. The sequence of messages between two ranks must be determined by values that are
/// equal on all ranks: kind, size, root, operation, and the total bytes if the standard requires equal totals.
/// It must not depend on whether memory is on the heap, on whether a rank passes `IN_PLACE`, or on the order of
/// arrival. For a given number of ranks, operands are always combined in the same order, which is the rank
/// order unless the operation is commutative. Every rank of an allreduce gets the same bits. Scratch memory is
/// bounded: long vectors are processed in slices.
@NullMarked
package org.tutti.coll;

import org.jspecify.annotations.NullMarked;
