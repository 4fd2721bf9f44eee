/// Slots of communicators: cache lines in shared memory in which each rank posts collective calls with short
/// operands, for all ranks to read.
///
///     SlotAreas ──allocates and reuses areas──▶ CollectiveSlots ◀──posts, reads── FlatCall (org.tutti.shm.progress)
///
/// A rank writes only to one area. Rules: never waits; "not yet posted" and "not yet allowed" are results. These
/// classes are used under the rank's progress lock, except for polls with results that may be outdated.
@NullMarked
package org.tutti.shm.slots;

import org.jspecify.annotations.NullMarked;
