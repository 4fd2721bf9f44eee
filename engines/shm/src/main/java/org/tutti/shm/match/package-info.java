/// Which message goes to which receive.
///
///     record ──▶ Arrival ──MatchContext──▶ first posted receive that fits, else kept in order of arrival
///     receive ──▶ ShmTransfer ──MatchContext──▶ first arrival that fits, else posted in order
///
/// Exactly the standard's order (MPI 4.1, section 3.5): a receive takes the first fitting arrival, an arrival goes
/// to the first fitting receive, per context. Rules: touched under the rank's progress lock only; moves no bytes.
@NullMarked
package org.tutti.shm.match;

import org.jspecify.annotations.NullMarked;
