/// A job, from the start to the last process.
///
///     Launcher ──▶ Job ◀── LocalJob: ranks are child processes, on shared memory
///        │          │  ◀── NativeJob: the launcher of an MPI library starts the ranks
///        │          ├── RankOutcomes: which rank failed first; ProcessTermination: no process is left
///        │          └── Debugger: where ranks listen for a debugger
///        ├── DryRun: the same as shell commands
///        └── CallRecording: the calls that ranks record, for `--profile` and `--trace`
///
///     ProcessSpawner ──▶ Launcher: the same job as a service to a running program, `Tutti.spawn`
///        ├── SpawnedWorld ──▶ Launcher: the job of `comm.spawn`, which uses the program's memory
///        └── HostedWorkers: the workers of a pool of an application, which is rank 0 and never ended
///
/// A run consists of tries, each with a new status page, until one succeeds or no restarts are left. On several
/// hosts, the native launcher places ranks; ranks on other hosts send reports on stderr (`ReportLine`), which
/// are written to the status page here.
@NullMarked
package org.tutti.launch.job;

import org.jspecify.annotations.NullMarked;
