package org.tutti.launch;

import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.Host;
import org.tutti.job.RankEnvironment;

/// What `tutti run` is asked to start.
///
/// @param parts the programs of the job; ranks are numbered in their order
/// @param mpi for the libmpi engine: `openmpi`, `mpich` or the path of a library
/// @param launcher for the libmpi engine: `mpirun` or `srun`; null for what fits
/// @param launcherArgs options for that launcher, as they are
/// @param hosts where ranks run; null for this machine, or the allocation that this process runs in
/// @param elsewhere whether there are ranks on other machines, too
/// @param binding which cpus ranks shall run on
/// @param env what ranks find in their environment besides the launcher's own
/// @param wdir the ranks' working directory
/// @param tagOutput whether lines begin with `[rank]` also without a terminal
/// @param outputDir where each rank's output is kept too
/// @param output where the ranks' stdout goes, whole lines at a time; null for this process's own
/// @param error the same for their stderr
/// @param stall how long nothing may move until the launcher says what ranks wait for; zero for never
/// @param stallAbort whether the job ends when it says so
/// @param debugging the ranks that a debugger may attach to; null for none
/// @param quiet the launcher says nothing; with `outputDir`, ranks' output goes there alone
/// @param nodes what torchrun's words say; null when none was used
/// @param maxRestarts how often all ranks are started anew after one of them failed
/// @param profile whether to say at the end where the time went
/// @param trace the file for a picture of all calls; null for none
/// @param dryRun says what would be started, and starts nothing
public record Run(
        List<ProgramSpec> parts,
        String engine,
        @Nullable String mpi,
        @Nullable String launcher,
        List<String> launcherArgs,
        @Nullable Hosts hosts,
        boolean elsewhere,
        Binding binding,
        Map<String, String> env,
        @Nullable Path wdir,
        boolean tagOutput,
        @Nullable Path outputDir,
        @Nullable OutputStream output,
        @Nullable OutputStream error,
        @Nullable Duration timeout,
        Duration stall,
        boolean stallAbort,
        @Nullable Debugging debugging,
        boolean quiet,
        @Nullable Nodes nodes,
        int maxRestarts,
        boolean profile,
        @Nullable Path trace,
        boolean dryRun) {

    /// Each is a process with a heap of its own.
    private static final int MOST_RANKS_HERE = 1024;

    /// For each of them the launcher keeps a page.
    private static final int MOST_RANKS = 16_384;

    private static final int MOST_RESTARTS = 1_000_000;

    /// How long nothing may move until the launcher says so, if it is not told otherwise.
    static final Duration STALL = Duration.ofSeconds(10);

    /// A run of `program` with as many ranks as there are cores, on shared memory.
    public static Builder of(String program, List<String> args) {
        return new Builder().part(program, args);
    }

    /// How many ranks the fullest machine has.
    int ranksOfAMachine() {
        if (!elsewhere) return size();
        if (hosts != null) return hosts.mostOnOne(size());
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm == null ? size() : Math.ceilDiv(size(), slurm.nodes());
    }

    /// The same with more variables for its ranks.
    Run with(Map<String, String> variables) {
        Map<String, String> all = new TreeMap<>(env);
        all.putAll(variables);
        return new Run(
                parts,
                engine,
                mpi,
                launcher,
                launcherArgs,
                hosts,
                elsewhere,
                binding,
                all,
                wdir,
                tagOutput,
                outputDir,
                output,
                error,
                timeout,
                stall,
                stallAbort,
                debugging,
                quiet,
                nodes,
                maxRestarts,
                profile,
                trace,
                dryRun);
    }

    /// Whether its ranks are only a part of the world, which the launchers of all nodes start together.
    boolean isOfSeveralNodes() {
        return nodes != null && nodes.areSeveral();
    }

    /// The rank in the world of the first one here.
    int firstRank() {
        return nodes == null ? 0 : nodes.rank() * size();
    }

    /// `shm, 4 ranks: Halo.java 100`, for who looks at the job from outside.
    String words() {
        StringBuilder words = new StringBuilder(engine);
        words.append(mpi == null ? "" : " (" + mpi + ")").append(", ").append(size());
        words.append(size() == 1 ? " rank: " : " ranks: ");
        for (ProgramSpec part : parts) {
            if (part != parts.getFirst()) words.append(" : ");
            words.append(part.program());
            for (String arg : part.args()) words.append(' ').append(arg);
        }
        return words.toString();
    }

    /// For a rank that a debugger may attach to; null for the others.
    @Nullable
    Debugging debuggingOf(int rank) {
        return debugging != null && debugging.ranks().get(rank) ? debugging : null;
    }

    /// The number of ranks that this launcher starts.
    public int size() {
        int size = 0;
        for (ProgramSpec part : parts) size += part.size();
        return size;
    }

    /// Sets what differs from the defaults.
    public static final class Builder {
        private final List<ProgramSpec> parts = new ArrayList<>();
        private @Nullable Hosts hosts;
        private Binding binding = Binding.NONE;
        private @Nullable String engine;
        private @Nullable String mpi;
        private @Nullable String launcher;
        private List<String> launcherArgs = List.of();
        private Map<String, String> env = Map.of();
        private @Nullable Path wdir;
        private boolean tagOutput;
        private @Nullable Path outputDir;
        private @Nullable OutputStream output;
        private @Nullable OutputStream error;
        private @Nullable Duration timeout;
        private Duration stall = STALL;
        private boolean stallAbort;
        private @Nullable String debug;
        private boolean debugSuspend = true;
        private boolean quiet;
        private Torchrun torchrun = Torchrun.NONE;
        private int maxRestarts;
        private boolean profile;
        private @Nullable Path trace;
        private boolean dryRun;

        private Builder() {}

        /// Another program; [#size], [#classPath] and [#jvm] are about the last one named.
        public Builder part(String program, List<String> args) {
            parts.add(new ProgramSpec(0, program, List.copyOf(args), null, List.of()));
            return this;
        }

        private Builder replaceLast(ProgramSpec part) {
            parts.set(parts.size() - 1, part);
            return this;
        }

        public Builder size(int ranks) {
            if (ranks < 1) throw new UsageException("-n " + ranks + ": a job has at least 1 rank");
            ProgramSpec last = parts.getLast();
            return replaceLast(new ProgramSpec(ranks, last.program(), last.args(), last.classPath(), last.jvm()));
        }

        public Builder classPath(@Nullable String path) {
            ProgramSpec last = parts.getLast();
            return replaceLast(new ProgramSpec(last.size(), last.program(), last.args(), path, last.jvm()));
        }

        public Builder jvm(List<String> options) {
            ProgramSpec last = parts.getLast();
            return replaceLast(
                    new ProgramSpec(last.size(), last.program(), last.args(), last.classPath(), List.copyOf(options)));
        }

        /// `localhost:4`: how many ranks there may be, and are where [#size] is not said.
        public Builder hosts(String list) {
            return hosts(Hosts.of(list));
        }

        /// The same in a file.
        public Builder hostfile(Path file) {
            return hosts(Hosts.ofFile(file));
        }

        private Builder hosts(Hosts given) {
            if (hosts != null) throw new UsageException("-H and --hostfile: both say where ranks run; give one");
            hosts = given;
            return this;
        }

        public Builder binding(Binding wanted) {
            binding = wanted;
            return this;
        }

        public Builder engine(String name) {
            if (!name.equals(RankEnvironment.SHM) && !name.equals(RankEnvironment.NATIVE)) {
                throw new UsageException(
                        "--engine " + name + ": there are " + RankEnvironment.SHM + " (shared memory, nothing to"
                                + " install) and " + RankEnvironment.NATIVE + " (the MPI library of this machine)");
            }
            engine = name;
            return this;
        }

        public Builder mpi(@Nullable String library) {
            mpi = library;
            return this;
        }

        /// `mpirun` or `srun`.
        public Builder launcher(String name) {
            if (!name.equals(NativeLauncher.MPIRUN) && !name.equals(NativeLauncher.SRUN)) {
                throw new UsageException("--launcher " + name + ": there are mpirun (the library's own) and srun");
            }
            launcher = name;
            return this;
        }

        public Builder launcherArgs(List<String> options) {
            launcherArgs = List.copyOf(options);
            return this;
        }

        public Builder env(Map<String, String> variables) {
            env = new TreeMap<>(variables);
            return this;
        }

        public Builder wdir(@Nullable Path directory) {
            wdir = directory;
            return this;
        }

        public Builder tagOutput(boolean on) {
            tagOutput = on;
            return this;
        }

        public Builder outputDir(@Nullable Path directory) {
            outputDir = directory;
            return this;
        }

        /// For a caller that reads what ranks print; written to by several threads, one after the other.
        public Builder output(@Nullable OutputStream stream) {
            output = stream;
            return this;
        }

        /// The same for what they write to stderr, and for the launcher's own words.
        public Builder error(@Nullable OutputStream stream) {
            error = stream;
            return this;
        }

        public Builder timeout(@Nullable Duration limit) {
            timeout = limit;
            return this;
        }

        public Builder stall(Duration limit) {
            stall = limit;
            return this;
        }

        /// A job that stalls is ended then.
        public Builder stallAbort(boolean on) {
            stallAbort = on;
            return this;
        }

        /// A debugger may attach to these ranks: `0,2-3`, or `all`.
        ///
        /// @param suspend whether they wait for it before their first line
        public Builder debug(String ranks, boolean suspend) {
            debug = ranks;
            debugSuspend = suspend;
            return this;
        }

        public Builder quiet(boolean on) {
            quiet = on;
            return this;
        }

        /// Ranks then find torchrun's variables in their environment.
        public Builder torchrun(Torchrun words) {
            torchrun = words;
            return this;
        }

        public Builder maxRestarts(int times) {
            if (times < 0 || times > MOST_RESTARTS) {
                throw new UsageException("--max-restarts " + times + ": a whole number from 0 to " + MOST_RESTARTS);
            }
            maxRestarts = times;
            return this;
        }

        public Builder profile(boolean on) {
            profile = on;
            return this;
        }

        public Builder trace(@Nullable Path file) {
            trace = file;
            return this;
        }

        public Builder dryRun(boolean on) {
            dryRun = on;
            return this;
        }

        public Run build() {
            Rankfile rankfile = binding.rankfile() == null ? null : Rankfile.read(binding.rankfile());
            Hosts where = hosts == null && rankfile != null ? rankfile.hosts() : hosts;
            Nodes nodes = Nodes.of(torchrun);
            boolean several = nodes != null && nodes.areSeveral();
            if (nodes != null && several) requireAlone(nodes);
            if (profile && quiet) {
                throw new UsageException("--profile and --quiet: with the second nothing is said of what the first asks"
                        + " for; leave out one");
            }
            sizeOfANode();
            if (parts.size() == 1 && parts.getFirst().size() == 0) size(defaultSize(where));
            long total = 0;
            for (int p = 0; p < parts.size(); p++) {
                ProgramSpec part = parts.get(p);
                if (part.size() == 0) {
                    throw new UsageException("part " + (p + 1) + " (" + part.program()
                            + ") needs -n: with several programs each says how many ranks it gets");
                }
                total += part.size();
            }
            int ranks = (int) Math.min(total, Integer.MAX_VALUE);
            if (rankfile != null) rankfile.require(ranks);
            if (hosts != null && !binding.sharing()) hosts.require(ranks);
            if (stallAbort && stall.isZero()) {
                throw new UsageException("--stall-abort and --stall 0: the first ends a job that stalls, the second"
                        + " looks for no stall; leave out one");
            }
            String chosen = several ? RankEnvironment.SHM : engine(where);
            boolean here = chosen.equals(RankEnvironment.SHM) || !elsewhere(where);
            if (torchrun.perNode() != null && !here) {
                throw new UsageException("--nproc-per-node " + torchrun.perNode() + ": there are several machines; say"
                        + " how many ranks there are by -n, and how many each gets by slots, as in -H a:2,b:2");
            }
            if (here && ranks > MOST_RANKS_HERE || ranks > MOST_RANKS) {
                String job = here ? "a job on one machine" : "a job";
                String words = parts.size() > 1 ? "the parts have " + ranks + " ranks; " : "-n " + ranks + ": ";
                throw new UsageException(
                        words + job + " has at most " + (here ? MOST_RANKS_HERE : MOST_RANKS) + " ranks");
            }
            return new Run(
                    List.copyOf(parts),
                    chosen,
                    mpi,
                    launcher,
                    launcherArgs,
                    where,
                    !here,
                    binding,
                    env,
                    wdir,
                    tagOutput,
                    outputDir,
                    output,
                    error,
                    timeout,
                    stall,
                    stallAbort,
                    debugging(ranks, !here || several),
                    quiet,
                    nodes,
                    maxRestarts,
                    profile,
                    trace,
                    dryRun);
        }

        private @Nullable Debugging debugging(int ranks, boolean elsewhere) {
            if (debug == null) return null;
            if (elsewhere) {
                throw new UsageException("--debug " + debug + ": a debugger attaches to ranks on this machine, and this"
                        + " job has ranks on others; run it here, or give --jvm -agentlib:jdwp=…");
            }
            Debugging debugging = Debugging.of(debug, debugSuspend, ranks);
            int rank = 0;
            for (ProgramSpec part : parts) {
                int first = debugging.ranks().nextSetBit(rank);
                rank += part.size();
                if (first >= 0 && first < rank && !Programs.isJava(part.program())) {
                    throw new UsageException("--debug " + debug + ": rank " + first + " is " + part.program()
                            + ", which is no Java program");
                }
            }
            return debugging;
        }

        /// What makes no sense beside `--nnodes`.
        private void requireAlone(Nodes nodes) {
            String other = ofOneLauncher();
            String option = "--nnodes " + nodes.count();
            if (other != null) {
                throw new UsageException(other + " and " + option + ": with the first, one tutti run starts the ranks"
                        + " of all machines; with the second, you start one on each; give one");
            }
            if (maxRestarts > 0) {
                throw new UsageException("--max-restarts " + maxRestarts + " and " + option + ": the launchers of the"
                        + " nodes know nothing of each other, so that none can start the others' ranks anew; leave"
                        + " out --max-restarts");
            }
            if (profile || trace != null) {
                throw new UsageException((trace == null ? "--profile" : "--trace " + trace) + " and " + option
                        + ": each launcher would see the calls of its own node's ranks alone; start the job by one"
                        + " tutti run, with -H");
            }
            if (parts.size() > 1) throw new UsageException(option + " starts one program, not " + parts.size());
            if (parts.getFirst().size() > 0) {
                throw new UsageException("-n " + parts.getFirst().size() + " and " + option
                        + ": say how many ranks each node has by --nproc-per-node");
            }
            if (torchrun.perNode() == null) {
                throw new UsageException(option + " needs --nproc-per-node N: how many ranks each node has");
            }
            int most = MOST_RANKS / nodes.count();
            int ranks = Nodes.perNode(torchrun, MOST_RANKS_HERE);
            if (ranks > most) {
                throw new UsageException(
                        option + " and --nproc-per-node " + ranks + ": a job has at most " + MOST_RANKS + " ranks");
            }
        }

        /// What is for a launcher that starts the ranks of all machines; null when nothing was said of it.
        private @Nullable String ofOneLauncher() {
            if (hosts != null) return hosts.words();
            if (binding.rankfile() != null) return "--rankfile " + binding.rankfile();
            if (engine != null) return "--engine " + engine;
            if (mpi != null) return "--mpi " + mpi;
            if (launcher != null) return "--launcher " + launcher;
            return launcherArgs.isEmpty() ? null : "--launcher-arg " + launcherArgs.getFirst();
        }

        private void sizeOfANode() {
            int ranks = Nodes.perNode(torchrun, MOST_RANKS_HERE);
            if (ranks == 0) return;
            ProgramSpec first = parts.getFirst();
            if (parts.size() > 1) {
                throw new UsageException("--nproc-per-node " + ranks + ": of several programs each has its own -n");
            }
            if (first.size() > 0) {
                throw new UsageException("-n " + first.size() + " and --nproc-per-node " + ranks
                        + ": both say how many ranks there are; give one");
            }
            size(ranks);
        }

        private static boolean elsewhere(@Nullable Hosts where) {
            if (where != null) return where.elsewhere();
            SlurmAllocation slurm = SlurmAllocation.current();
            return slurm != null && slurm.nodes() > 1;
        }

        private int defaultSize(@Nullable Hosts where) {
            if (where != null) return where.slots();
            SlurmAllocation slurm = SlurmAllocation.current();
            return slurm != null && slurm.tasks() > 0 ? slurm.tasks() : HostResources.cores();
        }

        /// Shared memory, where nothing speaks against it.
        private String engine(@Nullable Hosts where) {
            String why = null;
            ProgramSpec other = null;
            for (ProgramSpec part : parts) if (other == null && !Programs.isJava(part.program())) other = part;
            SlurmAllocation slurm = where == null ? SlurmAllocation.current() : null;
            if (where != null && where.elsewhere()) {
                why = where.words() + " names other machines than this (" + Host.name() + ")";
            } else if (slurm != null && slurm.nodes() > 1) {
                why = "this Slurm allocation has " + slurm.nodes() + " nodes";
            } else if (other != null) {
                why = other.program() + " is no Java program";
            } else if (mpi != null) {
                why = "--mpi " + mpi + " names an MPI library";
            } else if (launcher != null) {
                why = "--launcher " + launcher + " starts ranks for an MPI library";
            } else if (!launcherArgs.isEmpty()) {
                why = "--launcher-arg " + launcherArgs.getFirst() + " is for the launcher of an MPI library";
            }
            if (engine == null) return why == null ? RankEnvironment.SHM : RankEnvironment.NATIVE;
            if (engine.equals(RankEnvironment.NATIVE) || why == null) return engine;
            throw new UsageException("--engine " + engine + ": " + why + "; shared memory is for Java programs on one"
                    + " machine, without an MPI library; leave out --engine " + engine);
        }
    }
}
