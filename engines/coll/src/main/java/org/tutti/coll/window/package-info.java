/// Windows in memory that ranks share, for every engine: one-sided communication consists of loads, stores, and
/// a few counters per target.
///
///     SharedWindow ──▶ TicketLock      lock, unlock
///          │    ├───▶ AccumulateLocks one per target: atomic accumulates
///          │    └───▶ Exposures       post, start, complete, await
///          └── ControlBlock: offsets of the counters
///
/// Rules: no rank's progress is needed. A method that waits for another rank returns a
/// [org.tutti.spi.LocalWait], or waits in the engine, which makes progress; the rank that ends such a wait
/// wakes the waiting rank. Puts and gets are plain copies, ordered by the counters and fences of epochs (MPI
/// 4.1, section 12.7, the unified model).
@NullMarked
package org.tutti.coll.window;

import org.jspecify.annotations.NullMarked;
