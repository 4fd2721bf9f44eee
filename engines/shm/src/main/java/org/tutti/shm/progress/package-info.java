/// Message progress of a rank.
///
///     Progress ──drains──▶ RingConsumer ──Arrival──▶ MatchContext ──▶ Delivery ──▶ user's memory
///        └──flushes──▶ Outbox ──▶ RingProducer
///
/// Each rank has one [org.tutti.shm.progress.Progress], protected by one lock. The waiting thread that holds
/// the lock makes progress for all threads of the rank. Short messages are sent eagerly. Long messages use
/// rendezvous: the sender announces the message, the receiver accepts it after a match, and the data follows
/// through the same ring in fragments, or is copied directly if it is stored in the segment. Short messages use
/// rendezvous, too, while the receiver holds more unreceived messages than the limit permits (flow control,
/// docs/decisions/52).
///
/// EagerSend, ArrivedReceive and ShortCall are short paths. Each completes an operation immediately, or
/// declines without effect (docs/decisions/73); ShortCall may also start a call that FlatCall then continues.
///
/// Rules: no method here waits or sleeps. Polling without the lock only reads, and changes no state. A failure
/// that concerns one message, such as closed memory, completes that message's request, regardless of the thread
/// that makes progress. Contradictions between ranks go to [org.tutti.shm.progress.JobFailure].
@NullMarked
package org.tutti.shm.progress;

import org.jspecify.annotations.NullMarked;
