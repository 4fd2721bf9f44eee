package org.tutti.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.RunningJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti stacks`: what all ranks of a running job do.
@Command(name = "stacks", description = "Prints what all ranks of a running job do, with their stacks.")
final class StacksCommand implements Callable<Integer> {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;

    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description = "The launcher's pid, as tutti ps shows it; not needed where only one job runs.")
    @Nullable
    String job;

    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.print(RunningJobs.stacks(job));
        return 0;
    }
}
