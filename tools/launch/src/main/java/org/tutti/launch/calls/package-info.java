/// Combines the calls that the ranks of a job have recorded: matches sends with receives and the parts of
/// collective calls, and finds late ranks.
///
///     JobCalls ──▶ MessagePairs, MatchedCollectives ──▶ Lateness ──▶ org.tutti.launch.profile
///        ▲              ├─────────────────────────────▶ org.tutti.launch.trace
///        └─ ClockDrift ◀┘ on several hosts
///
/// Rules: millions of records remain in mapped files; at most four bytes of heap per record. Independent of the
/// execution of jobs.
@NullMarked
package org.tutti.launch.calls;

import org.jspecify.annotations.NullMarked;
