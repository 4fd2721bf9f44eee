package org.tutti.launch.run;

import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.UsageException;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Hosts;
import org.tutti.launch.place.Rankfile;
import org.tutti.launch.program.ProgramSpec;

/// Builds a [Run] from the options that differ from the defaults, and rejects contradictory options.
public final class RunBuilder {
    /// The maximum number of ranks on this machine. Each rank is a process with a separate heap.
    static final int MOST_RANKS_HERE = 1024;

    /// The maximum number of ranks. The job's file has a section for each rank.
    static final int MOST_RANKS = 16_384;

    private static final int MOST_RESTARTS = 1_000_000;

    private static final List<String> LIBRARIES =
            List.of(EngineChoice.OPEN_MPI, EngineChoice.MPICH, EngineChoice.STANDARD_ABI);

    final List<ProgramSpec> programs = new ArrayList<>();

    @Nullable
    Hosts hosts;

    Binding binding = Binding.NONE;

    @Nullable
    String engine;

    @Nullable
    String mpi;

    @Nullable
    String launcher;

    List<String> launcherArgs = List.of();
    private Map<String, String> env = Map.of();
    private @Nullable Path wdir;
    private boolean tagOutput;
    private @Nullable Path outputDir;
    private @Nullable OutputStream output;
    private @Nullable OutputStream error;
    private @Nullable Duration timeout;
    private Duration stall = JobLimits.STALL;
    private boolean stallAbort;
    private Duration grace = JobLimits.GRACE;
    private @Nullable String debug;
    private boolean debugSuspend = true;
    private boolean quiet;
    private ColorChoice color = ColorChoice.AUTO;
    Torchrun torchrun = Torchrun.NONE;
    int maxRestarts;
    boolean profile;

    @Nullable
    Path trace;

    private boolean dryRun;
    private boolean pool;

    RunBuilder() {}

    /// Adds a program; [#size], [#classPath] and [#jvm] apply to the last program added.
    public RunBuilder program(String program, List<String> args) {
        programs.add(new ProgramSpec(0, program, List.copyOf(args), null, List.of()));
        return this;
    }

    private RunBuilder replaceLast(ProgramSpec program) {
        programs.set(programs.size() - 1, program);
        return this;
    }

    public RunBuilder size(int ranks) {
        if (ranks < 1) throw new UsageException("-n " + ranks + ": a job has at least 1 rank");
        ProgramSpec last = programs.getLast();
        return replaceLast(new ProgramSpec(ranks, last.program(), last.args(), last.classPath(), last.jvm()));
    }

    public RunBuilder classPath(@Nullable String path) {
        ProgramSpec last = programs.getLast();
        return replaceLast(new ProgramSpec(last.size(), last.program(), last.args(), path, last.jvm()));
    }

    public RunBuilder jvm(List<String> options) {
        ProgramSpec last = programs.getLast();
        return replaceLast(
                new ProgramSpec(last.size(), last.program(), last.args(), last.classPath(), List.copyOf(options)));
    }

    /// Sets the hosts, for example `localhost:4`. The total number of slots is the maximum number of ranks,
    /// unless [Binding#sharing] is set, and the default if [#size] is not set.
    public RunBuilder hosts(String list) {
        return hosts(Hosts.of(list));
    }

    /// Sets the hosts from a file.
    public RunBuilder hostfile(Path file) {
        return hosts(Hosts.ofFile(file));
    }

    private RunBuilder hosts(Hosts given) {
        if (hosts != null) throw new UsageException("-H and --hostfile: both specify where ranks run; give one");
        hosts = given;
        return this;
    }

    public RunBuilder binding(Binding wanted) {
        binding = wanted;
        return this;
    }

    public RunBuilder engine(String name) {
        if (!name.equals(RankEnvironment.SHM) && !name.equals(RankEnvironment.NATIVE)) {
            throw new UsageException(
                    "--engine " + name + ": there are " + RankEnvironment.SHM + " (shared memory, nothing to"
                            + " install) and " + RankEnvironment.NATIVE + " (the MPI library of this machine)"
                            + (LIBRARIES.contains(name) ? "; did you mean --mpi " + name + "?" : ""));
        }
        engine = name;
        return this;
    }

    public RunBuilder mpi(@Nullable String library) {
        mpi = library;
        return this;
    }

    /// Sets the launcher: `mpirun` or `srun`.
    public RunBuilder launcher(String name) {
        if (!name.equals(EngineChoice.MPIRUN) && !name.equals(EngineChoice.SRUN)) {
            throw new UsageException("--launcher " + name + ": there are mpirun (the library's own) and srun");
        }
        launcher = name;
        return this;
    }

    public RunBuilder launcherArgs(List<String> options) {
        launcherArgs = List.copyOf(options);
        return this;
    }

    public RunBuilder env(Map<String, String> variables) {
        env = new TreeMap<>(variables);
        return this;
    }

    public RunBuilder wdir(@Nullable Path directory) {
        wdir = directory;
        return this;
    }

    public RunBuilder tagOutput(boolean on) {
        tagOutput = on;
        return this;
    }

    public RunBuilder color(ColorChoice choice) {
        color = choice;
        return this;
    }

    public RunBuilder outputDir(@Nullable Path directory) {
        outputDir = directory;
        return this;
    }

    /// Sets the stream that receives the output of ranks. Several threads write to it, one at a time.
    public RunBuilder output(@Nullable OutputStream stream) {
        output = stream;
        return this;
    }

    /// Sets the stream that receives the stderr of ranks and the messages of the launcher.
    public RunBuilder error(@Nullable OutputStream stream) {
        error = stream;
        return this;
    }

    public RunBuilder timeout(@Nullable Duration limit) {
        timeout = limit;
        return this;
    }

    public RunBuilder stall(Duration limit) {
        stall = limit;
        return this;
    }

    /// Sets how long ranks may run after a SIGTERM or SIGINT.
    public RunBuilder grace(Duration limit) {
        grace = limit;
        return this;
    }

    /// Sets whether a stall ends the job.
    public RunBuilder stallAbort(boolean on) {
        stallAbort = on;
        return this;
    }

    /// Allows a debugger to attach to these ranks: `0,2-3`, or `all`.
    ///
    /// @param suspend whether these ranks wait for the debugger before the first line of the program
    public RunBuilder debug(String ranks, boolean suspend) {
        debug = ranks;
        debugSuspend = suspend;
        return this;
    }

    public RunBuilder quiet(boolean on) {
        quiet = on;
        return this;
    }

    /// Sets the options of torchrun. Ranks then have torchrun's environment variables.
    public RunBuilder torchrun(Torchrun words) {
        torchrun = words;
        return this;
    }

    public RunBuilder maxRestarts(int times) {
        if (times < 0 || times > MOST_RESTARTS) {
            throw new UsageException("--max-restarts " + times + ": a whole number from 0 to " + MOST_RESTARTS);
        }
        maxRestarts = times;
        return this;
    }

    public RunBuilder profile(boolean on) {
        profile = on;
        return this;
    }

    public RunBuilder trace(@Nullable Path file) {
        trace = file;
        return this;
    }

    /// Sets whether only rank 0 runs the program, and the other ranks are workers of the pool.
    public RunBuilder pool(boolean on) {
        pool = on;
        return this;
    }

    public RunBuilder dryRun(boolean on) {
        dryRun = on;
        return this;
    }

    public Run build() {
        Rankfile rankfile = binding.rankfile() == null ? null : Rankfile.read(binding.rankfile());
        Hosts where = hosts == null && rankfile != null ? rankfile.hosts() : hosts;
        Nodes nodes = Nodes.of(torchrun);
        boolean several = nodes != null && nodes.areSeveral();
        if (nodes != null && several) SeveralNodes.require(this, nodes);
        if (profile && quiet) {
            throw new UsageException(
                    "--profile and --quiet: the second suppresses the output of the first;" + " leave out one");
        }
        sizeOfANode();
        if (programs.size() == 1 && programs.getFirst().size() == 0) size(Placement.defaultSize(where));
        int ranks = ranks();
        if (rankfile != null) rankfile.require(ranks);
        if (hosts != null && !binding.sharing()) hosts.require(ranks);
        if (stallAbort && stall.isZero()) {
            throw new UsageException("--stall-abort and --stall 0: the first ends a job that stalls, the second"
                    + " disables stall detection; leave out one");
        }
        EngineChoice chosen = several
                ? new EngineChoice(RankEnvironment.SHM, mpi, launcher, launcherArgs)
                : EngineChoice.of(engine, mpi, launcher, launcherArgs, where, programs);
        if (pool) requirePool(several);
        boolean here = chosen.isShm() || !Placement.isElsewhere(where);
        if (torchrun.perNode() != null && !here) {
            throw new UsageException("--nproc-per-node " + torchrun.perNode() + ": there are several machines; specify"
                    + " the number of ranks with -n, and the slots of each machine, as in -H a:2,b:2");
        }
        if (here && ranks > MOST_RANKS_HERE || ranks > MOST_RANKS) {
            String job = here ? "a job on one machine" : "a job";
            String words = programs.size() > 1 ? "the parts have " + ranks + " ranks; " : "-n " + ranks + ": ";
            throw new UsageException(words + job + " has at most " + (here ? MOST_RANKS_HERE : MOST_RANKS) + " ranks");
        }
        return new Run(
                List.copyOf(programs),
                chosen,
                new Placement(where, !here, binding, nodes),
                new RankSettings(variables(), wdir, debugging(ranks, !here || several)),
                new OutputOptions(tagOutput, outputDir, output, error, quiet, color),
                new JobLimits(timeout, stall, stallAbort, grace, maxRestarts),
                new ProfileOptions(profile, trace),
                dryRun);
    }

    private Map<String, String> variables() {
        if (!pool) return env;
        Map<String, String> all = new TreeMap<>(env);
        all.put(RankEnvironment.POOL, "1");
        return all;
    }

    private void requirePool(boolean several) {
        if (programs.size() > 1) {
            throw new UsageException(
                    "--pool: rank 0 runs the program and the other ranks run tasks, so there is one program," + " not "
                            + programs.size());
        }
        if (!programs.getFirst().isJava()) {
            throw new UsageException("--pool: " + programs.getFirst().program() + " is not a Java program");
        }
        if (several) {
            throw new UsageException("--pool: the launchers of several nodes (--nnodes) have no rank 0 in common; start"
                    + " one tutti run with -H, over a library");
        }
    }

    private @Nullable Debugging debugging(int ranks, boolean elsewhere) {
        if (debug == null) return null;
        if (elsewhere) {
            throw new UsageException("--debug " + debug + ": a debugger attaches to ranks on this machine, and this"
                    + " job has ranks on others; run it here, or give --jvm -agentlib:jdwp=…");
        }
        Debugging debugging = Debugging.of(debug, debugSuspend, ranks);
        int rank = 0;
        for (ProgramSpec program : programs) {
            int first = debugging.ranks().nextSetBit(rank);
            rank += program.size();
            if (first >= 0 && first < rank && !program.isJava()) {
                throw new UsageException("--debug " + debug + ": rank " + first + " is " + program.program()
                        + ", which is not a Java program");
            }
        }
        return debugging;
    }

    /// Returns the number of ranks of all programs.
    private int ranks() {
        long total = 0;
        for (int p = 0; p < programs.size(); p++) {
            ProgramSpec program = programs.get(p);
            if (program.size() == 0) {
                throw new UsageException("part " + (p + 1) + " (" + program.program()
                        + ") needs -n: with several programs, each needs a number of ranks");
            }
            total += program.size();
        }
        return (int) Math.min(total, Integer.MAX_VALUE);
    }

    private void sizeOfANode() {
        int ranks = Nodes.perNode(torchrun, MOST_RANKS_HERE);
        if (ranks == 0) return;
        ProgramSpec first = programs.getFirst();
        if (programs.size() > 1) {
            throw new UsageException("--nproc-per-node " + ranks + ": with several programs, each needs -n");
        }
        if (first.size() > 0) {
            throw new UsageException("-n " + first.size() + " and --nproc-per-node " + ranks
                    + ": both specify the number of ranks; give one");
        }
        size(ranks);
    }
}
