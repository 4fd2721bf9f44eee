package org.tutti.e2e.job;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Where a [Command] runs: its directories for what is temporary, and the machine that it believes to be on.
sealed interface Ground permits Sandbox, TwoHosts, Slurm {
    /// The command line that runs `words` there, in `directory`.
    List<String> enter(Path directory, List<String> words);

    /// What commands find in their environment there.
    Map<String, String> environment();
}
