/// Slots for each communicator: lines in shared memory on which every rank posts its collective calls, with
/// short operands, for all others to read.
///
///     SlotAreas ──takes areas, uses them again──▶ CollectiveSlots ◀──posts, reads── FlatCall (org.tutti.shm.progress)
///
/// A rank writes to its own area only. Rules: never waits; "not there yet" and "not yet allowed" are results;
/// touched under the rank's progress lock, but for looks that may be wrong for a moment.
@NullMarked
package org.tutti.shm.slots;

import org.jspecify.annotations.NullMarked;
