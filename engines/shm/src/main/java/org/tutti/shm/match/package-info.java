/// Matching of messages with receives.
///
///     record ──▶ Arrival ──MatchContext──▶ first posted receive that matches, else stored in order of arrival
///     receive ──▶ ShmTransfer ──MatchContext──▶ first arrival that matches, else posted in order
///
/// The order of matching is exactly the order of the standard (MPI 4.1, section 3.5): in each context, a
/// receive gets the first matching arrival, and an arrival is assigned to the first matching receive. Rules:
/// this package is used only under the rank's progress lock, and does not send or receive bytes.
@NullMarked
package org.tutti.shm.match;

import org.jspecify.annotations.NullMarked;
