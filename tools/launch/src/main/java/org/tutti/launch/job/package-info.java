/// A job, from the start to the last process.
///
///     Launcher ──▶ Job ◀── LocalJob: ranks are child processes, on shared memory
///        │          │  ◀── NativeJob: the launcher of an MPI library starts the ranks
///        │          ├── RankOutcomes: the rank that failed first; ProcessTermination: no process remains
///        │          └── Debugger: the ports on which ranks listen for a debugger
///        ├── DryRun: the commands of the job, in shell syntax
///        └── CallRecording: the calls that ranks record, for `--profile` and `--trace`
///
///     ProcessSpawner ──▶ Launcher: a job that a running program starts with `Tutti.spawn`
///        ├── SpawnedWorld ──▶ Launcher: the job of `comm.spawn`, which uses the program's memory
///        └── HostedWorkers: the workers of an application's pool; the application is rank 0 and is never ended
///
/// A run consists of tries, each with a new status page, until a try succeeds or the limit of restarts is
/// reached. If the job uses several hosts, the native launcher places the ranks. Ranks on other hosts send
/// reports on stderr (`ReportLine`); this launcher writes states, waits and failures to the status page, and
/// keeps the reports of activities and calls in memory.
@NullMarked
package org.tutti.launch.job;

import org.jspecify.annotations.NullMarked;
