package org.tutti.cli;

import java.io.IOException;
import org.tutti.launch.watch.RunningJobs;
import picocli.CommandLine.Command;

/// `tutti dump`: a report of a running job.
@Command(name = "dump", description = "Has a running job write a report of what its ranks do, and prints where it is.")
final class DumpCommand extends RunningJobCommand {
    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.println(RunningJobs.dump(job));
        return 0;
    }
}
