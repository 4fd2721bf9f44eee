package org.tutti.cli;

import java.io.IOException;
import org.tutti.launch.watch.RunningJobs;
import picocli.CommandLine.Command;

/// `tutti stacks`: prints the stacks of all ranks of a running job.
@Command(name = "stacks", description = "Prints the activity and the stacks of all ranks of a running job.")
final class StacksCommand extends RunningJobCommand {
    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.print(RunningJobs.stacks(job));
        return 0;
    }
}
