/// What a machine has for jobs of Tutti and of MPI, and what will go wrong.
///
///     Patient (environment, files) ──▶ Doctor ──▶ Examination: sections of findings, each with its remedy
///                  MachineCheck, JvmCheck, SharedMemoryCheck, LimitsCheck, LauncherCheck, NetworkCheck,
///                  MpiCheck, GpuCheck ──Libraries──▶ LibraryLook (org.tutti.libmpi), in a process of its own
///                  SettingsCheck ──▶ org.tutti.cli.doctor.settings
///                  DeviceExamination ──▶ DeviceSurvey (org.tutti.device), a process for each kind
///                                    ──▶ RankSurvey, a job; answers: DeviceAnswers
///                                    ──▶ DeviceJudge
///
/// Rules: nothing waits longer than [org.tutti.launch.machine.CommandOutput#LONGEST]; no foreign library is
/// loaded
/// into this process; a finding ends with what to do. Nothing is printed here and no environment read: the
/// command
/// does both. Of Tutti, this package and its settings use org.tutti.job and org.tutti.launch only.
///
/// Not here yet: whether other hosts can be reached; macOS and Windows beyond what the JDK tells.
@NullMarked
package org.tutti.cli.doctor;

import org.jspecify.annotations.NullMarked;
