package org.tutti.cli;

import java.io.IOException;
import org.tutti.launch.watch.RunningJobs;
import picocli.CommandLine.Command;

/// `tutti dump`: a report of a running job.
@Command(
        name = "dump",
        description = "Makes a running job write a report on the activity of its ranks, and prints the path.")
final class DumpCommand extends RunningJobCommand {
    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.println(RunningJobs.dump(job));
        return 0;
    }
}
