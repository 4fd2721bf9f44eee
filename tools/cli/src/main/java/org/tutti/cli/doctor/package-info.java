/// Examines a machine for jobs of Tutti and of MPI, and predicts failures.
///
///     ExaminedMachine (environment, files) ──▶ Doctor ──▶ Examination: sections of findings, each with a remedy
///                  MachineCheck, JvmCheck, SharedMemoryCheck, LimitsCheck, LauncherCheck, NetworkCheck,
///                  MpiCheck, GpuCheck ──Libraries──▶ LibraryProbe (org.tutti.libmpi), in a separate process
///                  SettingsCheck ──▶ org.tutti.cli.doctor.settings
///                  DeviceExamination ──▶ DeviceSurvey (org.tutti.device), a process for each kind
///                                    ──▶ RankSurvey, a job; results: DeviceAnswers
///                                    ──▶ DeviceEvaluator
///
/// Rules: no wait for a process is longer than [org.tutti.launch.machine.CommandOutput#LONGEST], except for the
/// job of `tutti doctor gpu -n N`, which may take two minutes; no foreign library is loaded into this process; a
/// finding about a problem ends with a remedy. This package does not print and does not read the environment; the
/// command does. Of Tutti's packages, this package and the package of the settings use only org.tutti.job and
/// org.tutti.launch.
///
/// Not implemented yet: the reachability of other hosts; checks on macOS and Windows that need more information
/// than the JDK provides.
@NullMarked
package org.tutti.cli.doctor;

import org.jspecify.annotations.NullMarked;
