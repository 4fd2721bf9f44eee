/// A job, from its start to its last process.
///
///     Launcher ──▶ Job ◀── LocalJob: ranks are our children, on shared memory
///        │          │  ◀── NativeJob: a launcher of an MPI library starts them
///        │          ├── RankOutcomes: who failed first; ProcessTermination: nobody is left
///        │          └── Debugger: where ranks listen for one
///        ├── DryRun: the same in words for a shell
///        └── CallRecording: what ranks write down of their calls, for `--profile` and `--trace`
///
///     ProcessSpawner ──▶ Launcher: the same job as a service to a running program, `Tutti.spawn`
///        └── SpawnedWorld ──▶ Launcher: that of `comm.spawn`, whose memory is the program's
///
/// A run is one try after the other, each with a new status page, while ranks fail and restarts are left.
/// On several hosts the native launcher places ranks, and what ranks there tell comes on their stderr
/// (`ReportLine`), to be written on the page here.
@NullMarked
package org.tutti.launch.job;

import org.jspecify.annotations.NullMarked;
