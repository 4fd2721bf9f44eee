/// The engine over the machine's MPI library.
///
///     LibmpiEngine ──▶ TypedTransfers, ObjectTransfers, SelfSends ──▶ raw
///          ├─────────▶ CollectiveCalls ──▶ DataMovementCollectives (blocks), ReductionCollectives ──▶ raw
///          ├─────────▶ NativeCommunicators ──▶ raw
///          ├─────────▶ NativeWindows ──▶ MappedWindow ──▶ org.tutti.coll.window (ranks that share memory)
///          │                  └───────▶ NativeWindow ──▶ RemoteAccesses, WindowCounters ──▶ raw
///          ├─────────▶ NativeSpawning, Worlds ──▶ raw (spawned processes and process numbers)
///          ├─────────▶ Schedules ──▶ org.tutti.coll (collective calls as messages)
///          └─────────▶ Shutdown (finalize, abort)
///     Staging: off-heap copies of heap arrays      LibraryIdleStrategy: test, spin, yield, sleep
///
/// Rules: heap memory is never passed to the library; it is staged, and so is memory with a derived type,
/// because the library gets packed data. Only received data is copied back, and no other byte is changed. Every
/// communicator has a shadow: a second communicator of the same group, which is created together with the
/// first. The shadow is used for the messages of Tutti's collective schedules, and for the data of objects that
/// does not fit next to the header. In a job with programs of other languages ([ForeignRanks]), communicators
/// with such ranks have no shadow, and each call of the user on such a communicator is exactly one call of the
/// library. A virtual thread never enters a call that may block, except flushes of windows, which wait only for
/// the target's library.
///
/// Whether blocking collective calls use the library's blocking functions, or nonblocking ones with tests, is
/// decided once for the whole job, at init: a blocking call does not match a nonblocking one (MPI 4.1, section
/// 6.12).
///
/// Files (MPI 4.1, chapter 14), sessions (section 11.3) and ports (section 11.9) are implemented above the
/// engines.
@NullMarked
package org.tutti.libmpi;

import org.jspecify.annotations.NullMarked;
