package org.tutti.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.tutti.launch.watch.RunningJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti ps`: lists the running jobs.
@Command(
        name = "ps",
        description = "Lists your jobs on this machine: launcher's pid, age, program, state of the ranks.")
final class PsCommand implements Callable<Integer> {
    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException {
        RunningJobs.list().forEach(System.out::println);
        return 0;
    }
}
