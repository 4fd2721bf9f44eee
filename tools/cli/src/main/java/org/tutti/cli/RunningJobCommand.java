package org.tutti.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// A command for a running job, which is identified by the pid of the launcher.
abstract sealed class RunningJobCommand implements Callable<Integer> permits DumpCommand, StacksCommand {
    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description = "The launcher's pid, as shown by tutti ps; optional if only one job is running.")
    @Nullable
    String job;
}
