/// What the ranks of a job have written down of their calls, put together: which message was received by
/// which call, which collective calls were one, and who was late for them.
///
///     JobCalls ──▶ Messages, Meetings ──▶ Lateness ──▶ org.tutti.launch.profile
///        ▲              ├─────────────────────────────▶ org.tutti.launch.trace
///        └─ ClockDrift ◀┘ on several hosts
///
/// Rules: millions of records lie in mapped files and stay there; on the heap four bytes for each are
/// enough. Knows nothing of how jobs are run.
@NullMarked
package org.tutti.launch.calls;

import org.jspecify.annotations.NullMarked;
