package org.tutti.spi;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// Starts ranks as processes from within a program: a service of a launcher, which is declared in module-info
/// and in META-INF/services.
public interface Spawner {
    /// The entry point at which ranks start.
    ///
    /// @param type the class with the main method or with `method`
    /// @param method the name of a static method whose parameters receive the arguments; null for the main
    ///     method
    /// @param descriptor the method's descriptor, for example `([Ljava/lang/String;)V`; empty for the main
    ///     method
    record Entry(Class<?> type, @Nullable String method, String descriptor) {}

    /// The program of some of the ranks.
    ///
    /// @param entry the entry point; null if `program` is set
    /// @param program a source file, a jar, or a class on this process's class path; empty if `entry` is set
    record Part(int size, @Nullable Entry entry, String program, List<String> arguments, Settings settings) {
        /// Returns the same part with `other` ranks.
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
    /// @param jvm options of the JVMs, which are appended to other options and have priority
    record Settings(Map<String, String> env, @Nullable Path wdir, List<String> jvm) {
        public static final Settings NONE = new Settings(Map.of(), null, List.of());
    }

    /// Returns the maximum number of ranks of a world that [#start] can start.
    int mostRanks();

    /// Starts `size` ranks, forwards their output, and returns when all ranks have ended successfully.
    ///
    /// @throws Fault `ERR_ARG` if ranks cannot begin at the entry point, `ERR_PROC_FAILED` if a rank failed; in
    ///     this case, no rank is left running
    /// @throws InterruptedException if the calling thread was interrupted; in this case, no rank is left
    ///     running
    void spawn(int size, Entry entry, List<String> arguments) throws InterruptedException;

    /// Starts the ranks of a world that this process's engine has invited, and forwards their output. If this
    /// process is killed, the ranks are ended, too; a normal end of this process waits until the ranks have
    /// ended. The result is complete when all ranks have joined. If a rank ends before that, the result fails
    /// with a [Fault] `ERR_SPAWN`, and no rank is left running.
    ///
    /// @param environment the environment of the ranks; requested after the program has been found
    /// @param failed called by a separate thread, with the reason and the exit code of the first rank that
    ///     failed, if the ranks were ended after all of them had joined
    /// @throws Fault `ERR_SPAWN` if ranks cannot begin at the entry point
    CompletionStage<?> start(
            List<Part> parts, Supplier<Map<String, String>> environment, ObjIntConsumer<String> failed);

    /// The processes of [#startWorkers].
    interface Workers {
        /// Returns the status of the job. Dead workers are marked as losses in this status.
        JobStatus status();

        /// Kills the workers. Returns when they have ended.
        void kill();

        /// Called after rank 0 has left the job: waits for a short time until the workers have ended, and then
        /// kills the remaining workers. A second call has no effect.
        void end();
    }

    /// Starts workers of a pool: ranks 1 to `count` of a new job in which this process is rank 0. Forwards the
    /// output of the workers. The workers end when this process ends. The job survives the death of workers.
    ///
    /// @param program a class of the program
    /// @param jvm options of the workers' JVMs
    /// @throws Fault `ERR_SPAWN` if no worker can load the program's classes, or processes cannot be started
    Workers startWorkers(int count, Class<?> program, List<String> jvm);

    /// Returns the commands with which a library starts the ranks of a new world.
    ///
    /// @param environment the environment of the ranks, as for [#start]; the variables of this process's job
    ///     are removed from the environment of the ranks
    /// @throws Fault `ERR_SPAWN` if ranks cannot begin at the entry point
    List<LibrarySpawning.Command> commands(List<Part> parts, Supplier<Map<String, String>> environment);
}
