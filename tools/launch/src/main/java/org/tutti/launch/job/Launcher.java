package org.tutti.launch.job;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.SupportedSystem;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.UsageException;
import org.tutti.launch.library.NativeLauncher;
import org.tutti.launch.library.NativeLaunchers;
import org.tutti.launch.library.RankExits;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.machine.SearchPath;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.program.Programs;
import org.tutti.launch.rank.AotCache;
import org.tutti.launch.rank.JvmOptions;
import org.tutti.launch.rank.RankCommand;
import org.tutti.launch.run.Run;

/// Executes a [Run], with restarts: the entry point of the launcher.
public final class Launcher {
    private Launcher() {}

    /// Starts the ranks, relays the output to the streams of the run, by default stdout and stderr of this
    /// process, waits for the last rank, and prints the cause of a failure. Returns the exit code: 0, the code of
    /// the first failure, 1 if a deadlock or a stall ends the job or if output is lost, 124 for a timeout, 130
    /// for Ctrl-C, 141 if stdout is closed, 143 for SIGTERM. After the failure of a rank, all ranks are restarted
    /// as often as the run permits.
    ///
    /// Call this method on a platform thread: ranks die with the thread that starts the ranks, and the carrier
    /// of a virtual thread may end before this method returns.
    ///
    /// @throws UsageException if the run cannot be started
    public static int run(Run run) throws IOException, InterruptedException {
        requireProcesses();
        if (run.ranks().wdir() != null && !Files.isDirectory(run.ranks().wdir())) {
            throw new UsageException("--wdir " + run.ranks().wdir() + ": there is no such directory");
        }
        boolean local = run.engine().isShm();
        NativeLauncher launcher = local ? null : NativeLaunchers.find(run);
        boolean placed = launcher != null && launcher.places(run);
        Bindings bindings = placed
                ? Bindings.none(run.ranksOfAMachine())
                : Bindings.of(run.placement().binding(), run.size());
        if (bindings.isBound()) requireBinding(local);
        List<Program> programs = new ArrayList<>();
        for (ProgramSpec spec : run.programs()) programs.add(Programs.resolve(spec));
        for (Program program : programs) {
            JvmOptions.check(program.spec(), run.ranksOfAMachine(), bindings.fewestProcessors());
        }
        if (run.dryRun()) {
            DryRun.print(run, programs, bindings, launcher);
            return 0;
        }
        int code = -1;
        try (CallRecording insight = CallRecording.of(run);
                LauncherSignals signals = new LauncherSignals()) {
            Run recorded = insight == null ? run : run.with(insight.variables());
            if (insight != null) programs.replaceAll(insight::recorded);
            long beganNanos = System.nanoTime();
            for (int restart = 0; code < 0; restart++) {
                code = tryOnce(
                        recorded, programs, bindings, launcher, insight, signals, new Job.Try(restart, beganNanos));
            }
        }
        if (code == 0) AotCache.make(RankCommand.flags(run.ranksOfAMachine(), bindings.fewestProcessors(), List.of()));
        return code;
    }

    /// Returns the exit code; -1 to request a restart.
    private static int tryOnce(
            Run run,
            List<Program> programs,
            Bindings bindings,
            @Nullable NativeLauncher launcher,
            @Nullable CallRecording insight,
            LauncherSignals signals,
            Job.Try attempt)
            throws IOException, InterruptedException {
        try (JobFile file = OsPlatform.open().createFile("tutti", JobFile.BYTES);
                RankExits exits = launcher == null ? null : new RankExits()) {
            JobStatus status = JobStatus.create(file, run.size(), launcher == null && !run.isOfSeveralNodes());
            Job job = launcher == null || exits == null
                    ? new LocalJob(run, programs, bindings, file, status, attempt, signals, true)
                    : new NativeJob(run, programs, bindings, file, status, launcher, exits, attempt, signals);
            int left = run.limits().maxRestarts() - attempt.number();
            Job.End end = job.run(e -> {
                boolean wouldRestart = e.ofARank() && run.limits().maxRestarts() > 0;
                if (insight != null) insight.evaluate(job::say);
                // an interrupt may end this process as soon as the final message is printed
                if (insight != null && !(wouldRestart && left > 0)) insight.close();
                job.printEnd(
                        e,
                        e.text()
                                + (wouldRestart && left == 0
                                        ? "; no restart is left (--max-restarts "
                                                + run.limits().maxRestarts() + ")"
                                        : ""));
                if (wouldRestart && left > 0)
                    job.say("restart " + (attempt.number() + 1) + " of "
                            + run.limits().maxRestarts());
            });
            return end.ofARank() && left > 0 ? -1 : end.code();
        }
    }

    /// Runs ranks of resolved programs on this machine, in a single try.
    ///
    /// @param tables whether the job's file contains the engine's memory, in addition to the status page
    /// @param watcher receives the status page before the first rank starts
    static Job.End runHere(Run run, List<Program> programs, boolean tables, Consumer<JobStatus> watcher)
            throws IOException, InterruptedException {
        requireProcesses();
        try (JobFile file = OsPlatform.open().createFile("tutti", JobFile.BYTES)) {
            JobStatus status = JobStatus.create(file, run.size(), tables);
            watcher.accept(status);
            Job.Try only = new Job.Try(0, System.nanoTime());
            Bindings bindings = Bindings.of(run.placement().binding(), run.size());
            return new LocalJob(run, programs, bindings, file, status, only, null, false).run(end -> {});
        }
    }

    private static void requireProcesses() {
        String refusal = SupportedSystem.refusal();
        if (refusal != null) throw new UsageException(refusal);
    }

    private static void requireBinding(boolean local) {
        if (local && !OsPlatform.open().canBind()) {
            throw new UsageException("ranks can be bound to cpus only on Linux and with native access; start Tutti with"
                    + " --enable-native-access=ALL-UNNAMED, as ./tutti does, or leave out --bind-to, --map-by, --cpu-set"
                    + " and --rankfile");
        }
        if (!local && SearchPath.first("taskset") == null) {
            throw new UsageException(
                    "with --engine libmpi ranks are bound by taskset, which is not on the PATH; install"
                            + " util-linux, or leave out --bind-to, --map-by, --cpu-set and --rankfile");
        }
    }

    /// Creates the cache that accelerates later runs with `ranks` ranks, unless the cache exists. This needs a
    /// few seconds.
    public static void prepare(int ranks) {
        AotCache.make(RankCommand.flags(ranks, Math.max(1, HostResources.cores() / ranks), List.of()));
    }
}
