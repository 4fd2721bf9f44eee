/// The life of a process of a job: a rank begins, is watched, reports failures and ends.
///
///     RankProcess ──▶ RankWatch: a thread that answers the launcher what the rank does (RankStacks, ThreadState)
///     UserLine: the line of the program that is at work
///     LocalWatch: the same for ranks that are threads
///
/// Rules: knows no engine; writes nothing to a program's standard output.
@NullMarked
package org.tutti.job.process;

import org.jspecify.annotations.NullMarked;
