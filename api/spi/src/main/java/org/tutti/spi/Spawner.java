package org.tutti.spi;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// Starts ranks as processes from within a program: a service of a launcher, declared in module-info and in
/// META-INF/services.
public interface Spawner {
    /// The entry point of ranks.
    ///
    /// @param type the class with the main method or with `method`
    /// @param method the name of a static method with the arguments as parameter; null for the main method
    /// @param descriptor the method's descriptor, for example `([Ljava/lang/String;)V`; empty for the main
    ///     method
    record Entry(Class<?> type, @Nullable String method, String descriptor) {}

    /// The program of some of the ranks.
    ///
    /// @param entry null if `program` is set
    /// @param program a source file, a jar, or a class on this process's class path; empty with an entry
    record Part(int size, @Nullable Entry entry, String program, List<String> arguments, Settings settings) {
        /// Returns the same part for `other` ranks.
        public Part ofSize(int other) {
            return new Part(other, entry, program, arguments, settings);
        }

        /// Returns the same part with these settings.
        public Part with(Settings others) {
            return new Part(size, entry, program, arguments, others);
        }
    }

    /// The settings of the processes of a part.
    ///
    /// @param env additional environment variables
    /// @param wdir the working directory, relative to that of this process; null for the same directory
    /// @param jvm options of the JVMs, which are appended and have priority
    record Settings(Map<String, String> env, @Nullable Path wdir, List<String> jvm) {
        public static final Settings NONE = new Settings(Map.of(), null, List.of());
    }

    /// Returns the maximum number of ranks of a world that [#start] starts.
    int mostRanks();

    /// Starts `size` ranks, forwards the output, and returns when all have ended successfully.
    ///
    /// @throws Fault `ERR_ARG` if ranks cannot begin at the entry point, `ERR_PROC_FAILED` if a rank failed; no
    ///     rank remains then
    /// @throws InterruptedException if the calling thread was interrupted; no rank remains then
    void spawn(int size, Entry entry, List<String> arguments) throws InterruptedException;

    /// Starts the ranks of a world that this process's engine has invited, and forwards the output. The ranks
    /// end with this process, and this process does not end before the ranks. The result is complete when all
    /// have joined, and fails with a [Fault] `ERR_SPAWN` if one rank ended before; no rank remains then.
    ///
    /// @param environment for the ranks; requested after the program was found
    /// @param failed called by a separate thread if the ranks were ended after all were joined, with the reason
    ///     and the exit code of the first rank that failed
    /// @throws Fault `ERR_SPAWN` if ranks cannot begin at the entry point
    CompletionStage<?> start(
            List<Part> parts, Supplier<Map<String, String>> environment, ObjIntConsumer<String> failed);

    /// The processes of [#startWorkers].
    interface Workers {
        /// Returns the status of the job. Dead workers are marked there, as losses.
        JobStatus status();

        /// Kills the workers. Returns when they have ended.
        void kill();

        /// Called after rank 0 has left the job: waits briefly until the workers have ended, then kills the
        /// remaining workers. A second call has no effect.
        void end();
    }

    /// Starts workers of a pool: ranks 1 to `count` of a new job in which this process is rank 0. Forwards the
    /// output of the workers, and the workers end with this process. The job survives the death of workers.
    ///
    /// @param program a class of the program
    /// @param jvm options of the workers' JVMs
    /// @throws Fault `ERR_SPAWN` if no worker can load the program's classes, or processes cannot be started
    Workers startWorkers(int count, Class<?> program, List<String> jvm);

    /// Returns the commands with which a library starts the ranks of a new world.
    ///
    /// @param environment for the ranks, as for [#start]; variables of this process's job are removed from
    ///     theirs
    /// @throws Fault `ERR_SPAWN` if ranks cannot begin at the entry point
    List<LibrarySpawning.Command> commands(List<Part> parts, Supplier<Map<String, String>> environment);
}
