/// Combines the calls recorded by the ranks of a job: matches sends with receives and the parts of collective
/// calls, and determines which ranks caused delays.
///
///     JobCalls ──▶ MessagePairs, MatchedCollectives ──▶ Lateness ──▶ org.tutti.launch.profile
///        ▲              ├─────────────────────────────▶ org.tutti.launch.trace
///        └─ ClockDrift ◀┘ on several hosts
///
/// Rules: millions of records remain in mapped files; for each record, the heap contains only its number. The
/// package does not depend on the execution of jobs.
@NullMarked
package org.tutti.launch.calls;

import org.jspecify.annotations.NullMarked;
