/// Windows in memory that ranks share, for every engine: one-sided communication is loads, stores, and a few words
/// for each target.
///
///     SharedWindow ──▶ TicketLock      lock, unlock
///          │    ├───▶ AccumulateLocks one for each target: what makes accumulates atomic
///          │    └───▶ Exposures       post, start, complete, await
///          └── ControlBlock: where the words lie
///
/// Rules: nobody's progress is needed. Who waits for another rank returns a [org.tutti.spi.LocalWait], or waits in
/// the engine, which moves messages meanwhile; whoever ends such a wait rings. Puts and gets are plain copies: what
/// orders them are the epochs' words and fences (MPI 4.1, section 12.7, the unified model).
@NullMarked
package org.tutti.coll.window;

import org.jspecify.annotations.NullMarked;
