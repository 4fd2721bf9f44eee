package org.tutti.cli;

import java.io.IOException;
import org.tutti.launch.watch.RunningJobs;
import picocli.CommandLine.Command;

/// `tutti stacks`: what all ranks of a running job do.
@Command(name = "stacks", description = "Prints what all ranks of a running job do, with their stacks.")
final class StacksCommand extends RunningJobCommand {
    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.print(RunningJobs.stacks(job));
        return 0;
    }
}
