package org.tutti.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.bootstrap.Place;

/// What `tutti run` is asked to start.
///
/// @param mpi for the libmpi engine: `openmpi`, `mpich` or the path of a library
/// @param classPath of the program, as `java -cp` takes it
/// @param jvm options of the ranks' JVMs; they come last and win
/// @param env what ranks find in their environment besides the launcher's own
/// @param wdir the ranks' working directory
/// @param tagOutput whether lines begin with `[rank]` also without a terminal
/// @param outputDir where each rank's output is kept too
/// @param stall how long nothing may move until the launcher says what ranks wait for; zero for never
/// @param quiet the launcher says nothing; with `outputDir`, ranks' output goes there alone
/// @param program a source file, a main class or a jar
public record Run(
        int size,
        String engine,
        @Nullable String mpi,
        @Nullable String classPath,
        List<String> jvm,
        Map<String, String> env,
        @Nullable Path wdir,
        boolean tagOutput,
        @Nullable Path outputDir,
        @Nullable Duration timeout,
        Duration stall,
        boolean quiet,
        String program,
        List<String> args) {

    private static final Duration STALL = Duration.ofSeconds(10);

    /// A run of `program` with as many ranks as there are cores, on shared memory.
    public static Builder of(String program, List<String> args) {
        return new Builder(program, args);
    }

    /// Sets what differs from the defaults.
    public static final class Builder {
        private final String program;
        private final List<String> args;
        private int size = Runtime.getRuntime().availableProcessors();
        private String engine = Place.SHM;
        private @Nullable String mpi;
        private @Nullable String classPath;
        private List<String> jvm = List.of();
        private Map<String, String> env = Map.of();
        private @Nullable Path wdir;
        private boolean tagOutput;
        private @Nullable Path outputDir;
        private @Nullable Duration timeout;
        private Duration stall = STALL;
        private boolean quiet;

        private Builder(String program, List<String> args) {
            this.program = program;
            this.args = List.copyOf(args);
        }

        public Builder size(int ranks) {
            if (ranks < 1) throw new UsageException("-n " + ranks + ": a job has at least 1 rank");
            size = ranks;
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

        public Builder classPath(@Nullable String path) {
            classPath = path;
            return this;
        }

        public Builder jvm(List<String> options) {
            jvm = List.copyOf(options);
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
            return new Run(
                    size, engine, mpi, classPath, jvm, env, wdir, tagOutput, outputDir, timeout, stall, quiet, program,
                    args);
        }
    }
}
