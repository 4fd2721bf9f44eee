/// The engine over whatever MPI library the machine has.
///
///     LibmpiEngine ──▶ TypedTransfers, ObjectTransfers, SelfSends ──▶ raw
///          ├─────────▶ CollectiveCalls ──▶ DataMovementCollectives (blocks), ReductionCollectives ──▶ raw
///          ├─────────▶ NativeCommunicators ──▶ raw
///          ├─────────▶ NativeWindows ──▶ MappedWindow ──▶ org.tutti.coll.window (ranks that share memory)
///          │                  └───────▶ NativeWindow ──▶ RemoteAccesses, WindowWords ──▶ raw
///          ├─────────▶ NativeSpawning, Worlds ──▶ raw (processes that are started, and who they are)
///          ├─────────▶ Schedules ──▶ org.tutti.coll (what is made of messages)
///          └─────────▶ Shutdown (finalize, abort)
///     Staging: off-heap room for heap arrays      LibraryIdleStrategy: test, spin, yield, sleep
///
/// Rules: heap memory never reaches the library, it is staged, and so is what lies in memory as a derived
/// type says: the library sees it packed. What is received is copied back, and no byte more. Every
/// communicator has a shadow, made with it: it carries the rest of objects and the messages of Tutti's
/// own collective schedules. In a job with programs of other languages ([ForeignRanks]) communicators with their
/// ranks have none, and a call of the user there is one call of the library. A virtual thread never
/// enters a call that may block, but for flushes of windows, which wait for the target's library alone.
///
/// Whether blocking collectives are the library's or nonblocking ones that are tested is decided once for
/// the whole job, at init: a blocking call does not match a nonblocking one (MPI 4.1, section 6.12).
///
/// Files (14) and sessions (11.3) are above every engine. Not here yet: ports (11.9), buffers of devices.
@NullMarked
package org.tutti.libmpi;

import org.jspecify.annotations.NullMarked;
