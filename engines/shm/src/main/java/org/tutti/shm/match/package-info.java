/// Matching of messages with receives.
///
///     record ──▶ Arrival ──MatchContext──▶ first posted receive that matches, else stored in order of arrival
///     receive ──▶ ShmTransfer ──MatchContext──▶ first arrival that matches, else posted in order
///
/// Exactly the standard's order (MPI 4.1, section 3.5): in each context, a receive gets the first matching
/// arrival, and an arrival is assigned to the first matching receive. Rules: used only under the rank's
/// progress lock; moves no bytes.
@NullMarked
package org.tutti.shm.match;

import org.jspecify.annotations.NullMarked;
