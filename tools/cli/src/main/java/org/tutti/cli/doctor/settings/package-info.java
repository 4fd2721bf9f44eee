/// Judges the settings of MPI libraries, of their launchers and of GPU collectives.
///
///     environment, files, command line ──Settings, CommandLine──▶ Setting ─┐
///     settings.tsv ──Knowledge──▶ Fact ────────────────────────────────────┼─Judge─▶ Judgement (a Verdict, and why)
///     what is installed ──Here──▶ versions, Parameters of ompi_info ───────┘
///
/// Rules: nothing is said of a name that no row and no installed library knows, but that it is unknown. A
/// row has a source, which a test sees to. What a library says of itself counts more than the table.
///
/// Not here yet: Intel MPI (`I_MPI_*`), MVAPICH (`MV2_*`), options of srun.
@NullMarked
package org.tutti.cli.doctor.settings;

import org.jspecify.annotations.NullMarked;
