/// A pool of ranks: one rank submits tasks, the other ranks run the tasks. Corresponds to Python's
/// `mpi4py.futures`.
///
///     Tasks, RankPool ──▶ Dispatcher ── task message ──▶ Worker ──▶ TaskCode, CurrentTask
///       MapRun, RankFuture ◀── answer ── (Comm)              └── TaskWatch: cancel, timeout
///     CallSites: from a lambda to a description    TaskCode: from the description to a function of this program
///
/// Rules: each message to a worker has exactly one last answer, and a worker answers messages in the order of
/// arrival, so that even an unreadable message is reported to the sender. Code is sent as the name of a call
/// site, see docs/decisions/69; values are encoded by the codec of `org.tutti.mpi`. The only code of the
/// program that runs under the dispatcher's lock is accessors of records. Dependents of a future never run on
/// the thread that receives answers.
///
/// Not implemented: replacement of dead workers, tasks that use several ranks.
@NullMarked
package org.tutti.futures;

import org.jspecify.annotations.NullMarked;
