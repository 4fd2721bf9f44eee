package org.tutti.spi;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What starts ranks as processes from within a program: a service that a launcher offers, declared in
/// module-info and in META-INF/services.
public interface Spawner {
    /// Where ranks begin.
    ///
    /// @param type the class whose main method it is, or that has the method
    /// @param method the name of a static method that takes the arguments; null for the main method
    /// @param descriptor of that method, as `([Ljava/lang/String;)V`; empty for the main method
    record Entry(Class<?> type, @Nullable String method, String descriptor) {}

    /// What some of the ranks run.
    ///
    /// @param entry null where `program` says it
    /// @param program a source file, a jar, or a class on this process's class path; empty with an entry
    record Part(int size, @Nullable Entry entry, String program, List<String> arguments, Settings settings) {
        /// The same for `other` ranks.
        public Part ofSize(int other) {
            return new Part(other, entry, program, arguments, settings);
        }

        /// The same with these settings.
        public Part with(Settings others) {
            return new Part(size, entry, program, arguments, others);
        }
    }

    /// What the processes of a part are given besides a program.
    ///
    /// @param env variables of their environment besides those that they inherit
    /// @param wdir their working directory, relative to this process's; null for the same
    /// @param jvm options of their JVMs, which come last and win
    record Settings(Map<String, String> env, @Nullable Path wdir, List<String> jvm) {
        public static final Settings NONE = new Settings(Map.of(), null, List.of());
    }

    /// How many ranks a world that [#start] starts may have at most.
    int mostRanks();

    /// Starts `size` ranks, passes on what they print, and returns when all have ended well.
    ///
    /// @throws Fault `ERR_ARG` when ranks could not begin there, `ERR_PROC_FAILED`
    ///     when one failed; none is left then
    /// @throws InterruptedException when the calling thread was interrupted; none is left then
    void spawn(int size, Entry entry, List<String> arguments) throws InterruptedException;

    /// Starts the ranks of a world that this process's engine has invited, and passes on what they print. They end
    /// with this process, which lives as long as they do. Returns what is complete when all have joined; a [Fault]
    /// `ERR_SPAWN` is in it when one ended before. None is left then.
    ///
    /// @param environment for the ranks; asked for once everything they run is known to be there
    /// @param failed is told, by a thread of its own, why they were ended after all had joined, and the exit code
    /// of
    ///     the first that failed
    /// @throws Fault `ERR_SPAWN` when ranks could not begin there
    CompletionStage<?> start(
            List<Part> parts, Supplier<Map<String, String>> environment, ObjIntConsumer<String> failed);

    /// What a library is to run so that ranks of a new world begin there.
    ///
    /// @param environment for the ranks, as to [#start]; what speaks of this process's own job is taken out of
    /// theirs
    /// @throws Fault `ERR_SPAWN` when ranks could not begin there
    List<LibrarySpawning.Command> commands(List<Part> parts, Supplier<Map<String, String>> environment);
}
