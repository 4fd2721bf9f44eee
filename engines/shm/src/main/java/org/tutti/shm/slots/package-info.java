/// Slots of communicators: cache lines in shared memory. Each rank posts collective calls with short operands
/// there, for all ranks to read.
///
///     SlotAreas ──allocates and reuses areas──▶ CollectiveSlots ◀──posts, reads── FlatCall (org.tutti.shm.progress)
///
/// A rank writes only to its area. Rules: these classes never wait; "not yet posted" and "not yet allowed" are
/// results. The classes are used under the rank's progress lock, except for polls with results that may be
/// outdated.
@NullMarked
package org.tutti.shm.slots;

import org.jspecify.annotations.NullMarked;
