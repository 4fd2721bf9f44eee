/// The life of a process of a job: a rank begins, is watched, reports failures and ends.
///
///     RankProcess ──▶ RankWatch: a thread that reports the rank's state to the launcher (RankStacks, ThreadState)
///     UserLine: the current line of the program
///     LocalWatch: reports the state of ranks that are threads
///
/// Rules: this package is independent of engines, and does not write to a program's standard output.
@NullMarked
package org.tutti.job.process;

import org.jspecify.annotations.NullMarked;
