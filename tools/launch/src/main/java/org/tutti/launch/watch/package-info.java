/// What the ranks of a job do, seen from the launcher or from another process.
///
///     WaitSnapshot: who waits for whom, at one moment ──two──▶ StallMonitor: stalls, deadlocks by proof
///     JobExamination ──ActivityQuery──▶ what each rank says of itself (RankActivity)
///                    ──ProcessMonitor─▶ what the system knows of a rank that does not answer
///                    ──FlightRecords──▶ the last operations of all ranks, and where they part
///     lines of stderr ─RemoteCalls──▶ the same of ranks on other machines
///                    ──StallText──▶ lines of a page; JobReport: a file
///
/// [RunningJobs] is the same for `tutti ps`, `stacks` and `dump`: it finds a launcher by the status page
/// that it has open. [StallWatcher] watches jobs that mpirun or srun has started without Tutti's launcher.
@NullMarked
package org.tutti.launch.watch;

import org.jspecify.annotations.NullMarked;
