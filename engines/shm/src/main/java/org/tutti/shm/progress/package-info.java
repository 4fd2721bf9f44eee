/// What makes a rank's messages move.
///
///     Progress ──drains──▶ RingConsumer ──Arrival──▶ MatchContext ──▶ Delivery ──▶ user's memory
///        └──flushes──▶ Outbox ──▶ RingProducer
///
/// One [org.tutti.shm.progress.Progress] per rank, under one lock: whoever waits and gets the lock moves
/// everybody's messages. Short messages travel whole (*eager*); long ones are offered, accepted when a receive
/// fits, and then streamed through the same ring in parts, or copied at once where their bytes lie in the
/// segment. So are short ones whose receiver has more of this rank than it receives (docs/decisions/52).
///
/// EagerSend, ArrivedReceive and ShortCall are short paths: each completes an operation at once, or declines and has
/// changed nothing (docs/decisions/73).
///
/// Rules: nothing here waits or sleeps. A look without the lock writes nothing. Failures of one message are that
/// message's, also those of its memory, whichever thread moves it; what contradicts between
/// ranks is told to [org.tutti.shm.progress.JobFailure].
@NullMarked
package org.tutti.shm.progress;

import org.jspecify.annotations.NullMarked;
