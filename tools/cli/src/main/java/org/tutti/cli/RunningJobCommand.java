package org.tutti.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// A command about a job that runs, which it names by its launcher's pid.
abstract sealed class RunningJobCommand implements Callable<Integer> permits DumpCommand, StacksCommand {
    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description = "The launcher's pid, as tutti ps shows it; not needed where only one job runs.")
    @Nullable
    String job;
}
