package org.tutti.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.report.Reader;
import org.tutti.bench.report.Result;
import org.tutti.bench.report.Screen;
import org.tutti.launch.job.Launcher;
import org.tutti.launch.place.Binding;
import org.tutti.launch.run.Run;
import org.tutti.launch.run.RunBuilder;

/// In the launcher: runs one measurement as a job, and parses the rows.
///
/// @param ranks the number of ranks of the job
/// @param engine `shm` or `libmpi`; null to select one automatically
/// @param mpi the MPI library, as in `tutti run`
/// @param binding the cpus of ranks
/// @param jvm options for every rank's JVM
/// @param timeout the time limit of the job; null for unlimited
public record Bench(
        int ranks,
        @Nullable String engine,
        @Nullable String mpi,
        Binding binding,
        List<String> jvm,
        @Nullable Duration timeout) {

    /// The result of a measurement, and the exit code of the job.
    public record Outcome(Result result, int code) {}

    /// Runs the measurement. Call this method on a platform thread, for the reason given at [Launcher#run].
    ///
    /// @throws org.tutti.launch.UsageException if the measurement cannot be started
    public Outcome run(BenchOptions options, Screen screen) throws IOException, InterruptedException {
        Result result = new Result(options, ranks);
        RunBuilder run = Run.of(BenchMain.class.getName(), options.toArguments())
                .size(ranks)
                .mpi(mpi)
                .binding(binding)
                .jvm(jvm)
                .timeout(timeout)
                .output(new Reader(result, screen));
        if (engine != null) run.engine(engine);
        int code = Launcher.run(run.build());
        screen.clear();
        return new Outcome(result, code);
    }
}
