/// The `tutti` command: parses the command line, calls the library that implements the command, and explains
/// usage errors.
///
///     Main ──▶ RunCommand ────▶ org.tutti.launch.job.Launcher
///          ──▶ DoctorCommand ──▶ org.tutti.cli.doctor
///
/// To add a subcommand, add a class without further logic here, and a line in [org.tutti.cli.Commands]. Exit
/// codes: 2 for a usage error, otherwise the exit code of the job.
@NullMarked
package org.tutti.cli;

import org.jspecify.annotations.NullMarked;
