package org.tutti.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.bootstrap.Place;

/// What `tutti run` is asked to start.
///
/// @param parts the programs of the job; ranks are numbered in their order
/// @param mpi for the libmpi engine: `openmpi`, `mpich` or the path of a library
/// @param binding which cpus ranks shall run on
/// @param env what ranks find in their environment besides the launcher's own
/// @param wdir the ranks' working directory
/// @param tagOutput whether lines begin with `[rank]` also without a terminal
/// @param outputDir where each rank's output is kept too
/// @param stall how long nothing may move until the launcher says what ranks wait for; zero for never
/// @param quiet the launcher says nothing; with `outputDir`, ranks' output goes there alone
public record Run(
        List<Part> parts,
        String engine,
        @Nullable String mpi,
        Binding binding,
        Map<String, String> env,
        @Nullable Path wdir,
        boolean tagOutput,
        @Nullable Path outputDir,
        @Nullable Duration timeout,
        Duration stall,
        boolean quiet) {

    /// Each is a process with a heap of its own, here.
    private static final int MOST_RANKS = 1024;

    private static final Duration STALL = Duration.ofSeconds(10);

    /// A run of `program` with as many ranks as there are cores, on shared memory.
    public static Builder of(String program, List<String> args) {
        return new Builder().part(program, args);
    }

    /// The number of ranks.
    public int size() {
        int size = 0;
        for (Part part : parts) size += part.size();
        return size;
    }

    /// Sets what differs from the defaults.
    public static final class Builder {
        private final List<Part> parts = new ArrayList<>();
        private @Nullable Hosts hosts;
        private Binding binding = Binding.NONE;
        private String engine = Place.SHM;
        private @Nullable String mpi;
        private Map<String, String> env = Map.of();
        private @Nullable Path wdir;
        private boolean tagOutput;
        private @Nullable Path outputDir;
        private @Nullable Duration timeout;
        private Duration stall = STALL;
        private boolean quiet;

        private Builder() {}

        /// Another program; [#size], [#classPath] and [#jvm] are about the last one named.
        public Builder part(String program, List<String> args) {
            parts.add(new Part(0, program, List.copyOf(args), null, List.of()));
            return this;
        }

        private Builder replaceLast(Part part) {
            parts.set(parts.size() - 1, part);
            return this;
        }

        public Builder size(int ranks) {
            if (ranks < 1) throw new UsageException("-n " + ranks + ": a job has at least 1 rank");
            if (ranks > MOST_RANKS) {
                throw new UsageException("-n " + ranks + ": a job on one machine has at most " + MOST_RANKS + " ranks");
            }
            Part last = parts.getLast();
            return replaceLast(new Part(ranks, last.program(), last.args(), last.classPath(), last.jvm()));
        }

        public Builder classPath(@Nullable String path) {
            Part last = parts.getLast();
            return replaceLast(new Part(last.size(), last.program(), last.args(), path, last.jvm()));
        }

        public Builder jvm(List<String> options) {
            Part last = parts.getLast();
            return replaceLast(
                    new Part(last.size(), last.program(), last.args(), last.classPath(), List.copyOf(options)));
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
            if (!name.equals(Place.SHM) && !name.equals(Place.NATIVE)) {
                throw new UsageException("--engine " + name + ": there are " + Place.SHM + " (shared memory, nothing to"
                        + " install) and " + Place.NATIVE + " (the MPI library of this machine)");
            }
            engine = name;
            return this;
        }

        public Builder mpi(@Nullable String library) {
            mpi = library;
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

        public Builder timeout(@Nullable Duration limit) {
            timeout = limit;
            return this;
        }

        public Builder stall(Duration limit) {
            stall = limit;
            return this;
        }

        public Builder quiet(boolean on) {
            quiet = on;
            return this;
        }

        public Run build() {
            Rankfile rankfile = binding.rankfile() == null ? null : Rankfile.read(binding.rankfile());
            if (parts.size() == 1 && parts.getFirst().size() == 0) size(defaultSize(rankfile));
            int ranks = 0;
            for (int p = 0; p < parts.size(); p++) {
                Part part = parts.get(p);
                if (part.size() == 0) {
                    throw new UsageException("part " + (p + 1) + " (" + part.program()
                            + ") needs -n: with several programs each says how many ranks it gets");
                }
                ranks += part.size();
            }
            if (ranks > MOST_RANKS) {
                throw new UsageException(
                        "the parts have " + ranks + " ranks; a job on one machine has at most " + MOST_RANKS);
            }
            if (rankfile != null) rankfile.require(ranks);
            if (hosts != null && !binding.sharing()) hosts.require(ranks);
            return new Run(
                    List.copyOf(parts), engine, mpi, binding, env, wdir, tagOutput, outputDir, timeout, stall, quiet);
        }

        private int defaultSize(@Nullable Rankfile rankfile) {
            if (rankfile != null) return rankfile.size();
            return hosts != null ? hosts.slots() : Machine.cores();
        }
    }
}
