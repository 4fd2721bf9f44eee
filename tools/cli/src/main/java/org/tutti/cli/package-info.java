/// The `tutti` command: reads the command line, calls the library that does the work, explains usage errors.
///
///     Main ──▶ RunCommand ────▶ org.tutti.launch.job.Launcher
///          ──▶ DoctorCommand ──▶ org.tutti.cli.doctor
///
/// A new subcommand is a class here, one line in [org.tutti.cli.Main], and no work of its own. Exit codes: 2
/// for a
/// usage error, otherwise what the job says.
@NullMarked
package org.tutti.cli;

import org.jspecify.annotations.NullMarked;
