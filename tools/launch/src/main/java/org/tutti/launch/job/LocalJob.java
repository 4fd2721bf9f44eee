package org.tutti.launch.job;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.OpenMpiVariables;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.Program;
import org.tutti.launch.rank.InheritedEnvironment;
import org.tutti.launch.rank.RankCommand;
import org.tutti.launch.run.Debugging;
import org.tutti.launch.run.Run;

/// A job on the shm engine of this machine; the ranks are child processes of the launcher.
final class LocalJob extends Job {
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long GRACE_MILLIS = 1000;

    private final JobFile file;

    /// The processes that ranks had started at the time of a call of [#terminate].
    private final Set<ProcessHandle> started = new HashSet<>();

    private boolean isAsked;
    private final OsPlatform platform = OsPlatform.open();
    private final List<ProcessHandle> ranks = new ArrayList<>();

    private final boolean readsStdin;

    /// @param readsStdin whether rank 0 reads the stdin of this process; other ranks have an empty stdin
    LocalJob(
            Run run,
            List<Program> programs,
            Bindings bindings,
            JobFile file,
            JobStatus status,
            Try attempt,
            @Nullable LauncherSignals signals,
            boolean readsStdin) {
        super(run, programs, bindings, status, attempt, signals);
        this.file = file;
        this.readsStdin = readsStdin;
    }

    @Override
    void start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder();
        Map<String, String> environment = builder.environment();
        InheritedEnvironment.clean(environment);
        Map<String, String> inherited = Map.copyOf(environment);
        int rank = 0, number = 0;
        for (Program program : programs) {
            Path wdir = run.ranks().wdir();
            environment.clear();
            environment.putAll(inherited);
            if (program instanceof Program.Spawned spawned) {
                environment.putAll(spawned.env());
                if (spawned.wdir() != null) wdir = spawned.wdir();
            }
            builder.directory(wdir == null ? null : wdir.toFile());
            environment.put(RankEnvironment.PROGRAM, Integer.toString(number++));
            int processors = 0;
            Debugging debugging = null;
            for (int end = rank + program.spec().size(); rank < end; rank++) {
                if (bindings.processors(rank) != processors || run.ranks().debuggingOf(rank) != debugging) {
                    processors = bindings.processors(rank);
                    debugging = run.ranks().debuggingOf(rank);
                    List<String> command = new ArrayList<>(debugging == null ? List.of() : debugging.guard());
                    command.addAll(RankCommand.of(program, run, processors, debugging));
                    builder.command(command);
                }
                environment.putAll(variables(run, bindings, rank, attempt.number()));
                environment.put(run.isOfSeveralNodes() ? RankEnvironment.NODE_JOB : RankEnvironment.JOB, file.path());
                // Rank 0 inherits the launcher's stdin; a relay could block.
                builder.redirectInput(
                        rank == 0 && readsStdin
                                ? ProcessBuilder.Redirect.INHERIT
                                : ProcessBuilder.Redirect.from(new File("/dev/null")));
                start(builder, rank);
            }
        }
    }

    /// Returns the environment variables of a rank, without the variables that exist only while the job runs.
    static Map<String, String> variables(Run run, Bindings bindings, int rank, int restart) {
        Map<String, String> variables =
                HashMap.newHashMap(16 + run.ranks().env().size());
        variables.putAll(run.ranks().env());
        variables.put(RankEnvironment.RESTART, Integer.toString(restart));
        if (run.placement().nodes() != null)
            variables.putAll(run.placement().nodes().variables(restart, rank, run.size()));
        variables.put(RankEnvironment.CORES, Integer.toString(bindings.cores()));
        variables.put(
                RankEnvironment.STALL, Double.toString(run.limits().stall().toNanos() / 1e9));
        if (run.isOfSeveralNodes()) return variables; // the nodes do not share a job
        String size = Integer.toString(run.size());
        variables.put(RankEnvironment.SIZE, size);
        variables.put(RankEnvironment.LOCAL_SIZE, size);
        variables.put(RankEnvironment.RANK, Integer.toString(rank));
        variables.put(RankEnvironment.LOCAL_RANK, Integer.toString(rank));
        variables.put(RankEnvironment.ENGINE, run.engine().name());
        if (RankEnvironment.OPENMPI_JAVA.equals(run.ranks().env().get(RankEnvironment.API)))
            variables.putAll(OpenMpiVariables.onOneMachine(rank, run.size()));
        return variables;
    }

    private void start(ProcessBuilder builder, int rank) throws IOException {
        Process process;
        try {
            process = bound(builder, rank);
        } catch (IOException e) {
            // the first line is the reason; the JDK appends lines of advice
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IOException("rank " + rank + " cannot be started: " + why.strip(), e);
        }
        ranks.add(process.toHandle());
        process.onExit().thenAccept(ended -> {
            if (outcome.recordWorkerDeath(rank, ended.exitValue())) {
                say("rank " + rank + " " + status.loss(rank) + "; the pool continues without it");
            }
            wake();
        });
        output.relay(process.getInputStream(), rank, 0);
        output.relay(process.getErrorStream(), rank, 1);
    }

    /// Starts a process on the cpus of a rank. The process inherits the cpus of the thread that starts it, so
    /// that the JVM detects the correct number of cpus at the start.
    private Process bound(ProcessBuilder builder, int rank) throws IOException {
        BitSet cpus = bindings.cpus(rank);
        if (cpus == null) return builder.start();
        platform.bindThread(cpus);
        try {
            return builder.start();
        } finally {
            platform.bindThread(bindings.launcher());
        }
    }

    @Override
    void poll() {
        // not needed: exit codes and the status page contain all information
    }

    @Override
    boolean over() {
        return outcome.isFinished();
    }

    @Override
    long collectNanos() {
        return COLLECT_NANOS;
    }

    @Override
    void terminate() {
        started.addAll(ProcessTermination.descendants(ranks));
        if (!isAsked) ranks.forEach(ProcessHandle::destroy);
        isAsked = true;
    }

    @Override
    BitSet terminating() {
        BitSet running = new BitSet();
        for (int rank = 0; rank < ranks.size(); rank++) if (!outcome.hasFinished(rank)) running.set(rank);
        return running;
    }

    @Override
    @Nullable
    ProcessHandle process(int rank) {
        return rank < ranks.size() && !outcome.hasFinished(rank) ? ranks.get(rank) : null;
    }

    @Override
    void stop() throws InterruptedException {
        ProcessTermination.all(ranks, GRACE_MILLIS);
        for (ProcessHandle process : started) process.destroyForcibly();
    }

    @Override
    RankOutcomes.@Nullable Failure verdict() {
        return outcome.first();
    }
}
