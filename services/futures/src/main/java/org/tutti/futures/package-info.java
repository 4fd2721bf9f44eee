/// A pool of ranks: one rank has tasks, the others run them. What `mpi4py.futures` is to Python.
///
///     Tasks, RankPool ──▶ Dispatcher ── task message ──▶ Worker ──▶ TaskCode, CurrentTask
///       MapRun, RankFuture ◀── answer ── (Comm)              └── TaskWatch: cancel, timeout
///     CallSites: from a lambda to its words    TaskCode: from the words to a function of this program
///
/// Rules: a message to a worker has exactly one last answer, and a worker answers in the order in which
/// it was asked, so that even a message that cannot be read has a sender who hears of it. Code travels
/// as the name of a call site, see docs/decisions/69; values in the codec of `org.tutti.mpi`. No code of
/// the program runs under the dispatcher's lock but accessors of records. Dependents of a future never
/// run on the thread that receives answers.
///
/// Not here yet: new workers in the place of dead ones, several ranks for one task.
@NullMarked
package org.tutti.futures;

import org.jspecify.annotations.NullMarked;
