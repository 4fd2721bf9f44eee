package org.tutti.launch.job;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.UsageException;
import org.tutti.launch.calls.JobCalls;
import org.tutti.launch.profile.Profile;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Run;
import org.tutti.launch.trace.Trace;

/// The recorded calls of `--profile` and `--trace`: the directory into which ranks write, and the evaluation at
/// the end. The directory is deleted when the run ends.
final class CallRecording implements AutoCloseable {
    private static final String NAME = "tutti-calls-";

    private final Run run;
    private final Path directory;

    private CallRecording(Run run, Path directory) {
        this.run = run;
        this.directory = directory;
    }

    /// Returns null if neither option is set.
    ///
    /// @throws UsageException if the file for the trace cannot be written
    static @Nullable CallRecording of(Run run) throws IOException {
        Path trace = run.profiling().trace();
        if (!run.profiling().profile() && trace == null) return null;
        if (trace != null) requireWritable(trace);
        // remote ranks have no access to a temporary directory of this machine
        Path directory = run.placement().elsewhere()
                ? Files.createTempDirectory(Path.of("").toAbsolutePath(), "." + NAME)
                : Files.createTempDirectory(NAME);
        return new CallRecording(run, directory);
    }

    private static void requireWritable(Path file) {
        if (Files.isDirectory(file)) throw new UsageException("--trace " + file + " is a directory; name a file in it");
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new UsageException("--trace " + file + ": there is no directory " + parent);
        }
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            out.flush();
        } catch (IOException e) {
            throw new UsageException("--trace " + file + " cannot be written: " + e);
        }
    }

    /// Returns the environment variables with which ranks record calls.
    Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>(Map.of(RankEnvironment.CALLS, directory.toString()));
        if (run.profiling().trace() != null) variables.put(RankEnvironment.CALLS_OF_JVM, "1");
        return variables;
    }

    /// For a trace, returns a Java program with a JVM option for the repository of JDK Flight Recorder, which
    /// records the JVM's events; otherwise returns `program`. The repository must be in the directory of this
    /// object, which is always deleted: a killed JVM does not remove its repository.
    Program recorded(Program program) {
        if (run.profiling().trace() == null || !(program instanceof Program.OfJava java)) return program;
        ProgramSpec spec = java.spec();
        List<String> jvm = new ArrayList<>(List.of("-XX:FlightRecorderOptions:repository=" + directory));
        jvm.addAll(spec.jvm());
        ProgramSpec with = new ProgramSpec(spec.size(), spec.program(), spec.args(), spec.classPath(), jvm);
        return new Program.OfJava(with, java.mainClass(), java.classes());
    }

    /// Evaluates the records of the ranks at the end of a try: prints the profile and writes the trace.
    void evaluate(Consumer<String> say) {
        // clocks of other machines are not comparable
        long now = run.placement().elsewhere() ? 0 : System.nanoTime();
        try (JobCalls calls = JobCalls.read(directory, run.size(), now)) {
            if (run.profiling().profile()) Profile.of(calls).forEach(say);
            if (run.profiling().trace() != null)
                say.accept(write(calls, run.profiling().trace()));
        } catch (IOException e) {
            say.accept("the records of the ranks' calls cannot be read: " + e);
        }
        clear();
    }

    private static String write(JobCalls calls, Path file) {
        long leftOut = calls.ranks().stream().mapToLong(rank -> rank.leftOut()).sum();
        try {
            Trace.write(calls, Files.newOutputStream(file));
        } catch (IOException e) {
            return "--trace " + file + " cannot be written: " + e;
        }
        return "the trace is in " + file + "; open it in https://ui.perfetto.dev or chrome://tracing"
                + (leftOut == 0 ? "" : " (without the last " + leftOut + " calls, which exceeded the limit)");
    }

    /// Removes all files in the directory.
    private void clear() {
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException e) {
            return; // reported by close
        }
        for (Path file : all) {
            if (!file.equals(directory)) file.toFile().delete();
        }
    }

    @Override
    public void close() {
        clear();
        try {
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            System.err.println("tutti: " + directory + " could not be deleted: " + e);
        }
    }
}
