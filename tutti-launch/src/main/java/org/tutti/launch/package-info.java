/// `tutti run`: what to start, how, and what became of it.
///
///     Run ──▶ Launcher ──Programs, SourceCompiler──▶ Program          RankMain: the entry class of every rank's JVM
///                │                                      │                 ▲
///                └──▶ Job ◀── LocalJob: our children ───┴─ RankCommand ───┘ starts
///                      │  ◀── NativeJob: a NativeLauncher (mpirun, hydra, srun), a RankShell around each rank
///                      ├── RankOutcomes: who failed first; LineRelay, Sink: whole lines; ProcessTermination: nobody is
/// left
///                      ├── StallMonitor: who waits for whom, by two looks (WaitSnapshot) at the ranks' pages
///                      ├── JobExamination: what ranks do (ActivityQuery, ProcessMonitor), on a page and in a JobReport
///                      └── Debugger: where ranks listen for one (Debugging)
///
///     Binding, Hosts, Rankfile: what the user said about cpus ──with CpuTopology──▶ Bindings: the cpus of each rank
///
///     CommandOutput: what a program says of itself; OpenMpiSession: what an mpirun that was killed leaves
///
///     Torchrun ──▶ Nodes: one node of several that are started by hand; ProcessSpawner: the same job as a service
///     to a running program, with CurrentJvm: what makes a JVM like that program's
///
/// CallRecording: what ranks write down of their calls ──calls──▶ profile, trace (packages of their own)
///
/// RunningJobs: the same seen by another process, which finds a launcher by the board that it has open
///
/// Rules: the thread that starts ranks lives until the last of them has ended, because the parent-death
/// signal follows it. What is said comes last, on stderr. Start-up time counts here: no logging, no
/// regular expressions, no hashes from providers, no lambdas on the path of a run that finds everything
/// in its cache.
///
/// On several hosts the native launcher places ranks, and what ranks there tell comes on their stderr
/// (ReportLine), to be written on the board here.
///
/// A run is one try after the other, each with a new board, while ranks fail and restarts are left.
///
/// Not here yet: `MPI_Comm_spawn` (MPI 4.1, section 11.8); restarts over several nodes started by hand;
/// stall pages and stacks of ranks on other hosts.
@NullMarked
package org.tutti.launch;

import org.jspecify.annotations.NullMarked;
