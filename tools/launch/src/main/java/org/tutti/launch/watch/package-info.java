/// The activity of the ranks of a job, observed by the launcher or by a separate command.
///
///     WaitSnapshot: which ranks wait for which, at one moment ──two──▶ StallMonitor: stalls, certain deadlocks
///     JobExamination ──ActivityQuery──▶ the activity that each rank reports (RankActivity)
///                    ──ProcessMonitor─▶ the operating system's view of an unresponsive rank
///                    ──FlightRecords──▶ the last operations of all ranks, and the first difference
///     lines of stderr ─RemoteCalls──▶ the same for ranks on other machines
///                    ──StallText──▶ lines of a page; JobReport: a file
///
/// [RunningJobs] provides the same information to `tutti ps`, `stacks` and `dump`; it identifies launchers by
/// the status pages that they have open. [StallWatcher] watches jobs that mpirun or srun started without
/// Tutti's launcher.
@NullMarked
package org.tutti.launch.watch;

import org.jspecify.annotations.NullMarked;
