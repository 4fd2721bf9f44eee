package org.tutti.e2e.job;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The environment of a [Command]: directories for temporary files, and the machine on which the command runs.
sealed interface CommandEnvironment permits Sandbox, TwoHosts, Slurm {
    /// Returns the command line that runs `arguments` in this environment, in `directory`.
    List<String> enter(Path directory, List<String> arguments);

    /// Returns the environment variables to add.
    Map<String, String> environment();
}
