/// Evaluates the settings of MPI libraries, of the launchers and of GPU collectives.
///
///     environment, files, command line ──Settings, CommandLine──▶ Setting ─┐
///     settings.tsv ──SettingsTable──▶ Fact ────────────────────────────────┼─SettingsEvaluator─▶ Evaluation
///     installed software ──MachineTraits──▶ versions, ompi_info parameters ┘                     (a Verdict, and why)
///
/// Rules: if the table does not contain a name, and the installed library does not have it, the only finding is
/// that the name is unknown. Each row has a source, which a test checks. Information from a library has priority
/// over a row with the verdict OK.
///
/// Not implemented yet: Intel MPI (`I_MPI_*`), MVAPICH (`MV2_*`), options of srun.
@NullMarked
package org.tutti.cli.doctor.settings;

import org.jspecify.annotations.NullMarked;
