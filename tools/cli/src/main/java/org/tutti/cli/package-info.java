/// The `tutti` command: parses the command line, calls the library that implements the command, and explains
/// usage errors.
///
///     Main ──▶ RunCommand ────▶ org.tutti.launch.job.Launcher
///          ──▶ DoctorCommand ──▶ org.tutti.cli.doctor
///
/// A new subcommand is a class here and one line in [org.tutti.cli.Commands]; it contains no other logic. Exit
/// codes: 2 for a usage error, otherwise the exit code of the job.
@NullMarked
package org.tutti.cli;

import org.jspecify.annotations.NullMarked;
