package org.tutti.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.Run;
import org.tutti.launch.UsageException;

/// A command line of `tutti run`, taken apart, and what it means.
///
/// [#quick] reads a line that is right without picocli, whose class files are of a version that the JVM
/// caches not ahead of time and whose reflection costs more than all else that the launcher does. A line that
/// is not right, and a wish for help, goes to picocli, which knows the same table.
final class RunArguments {
    private final Map<RunOption, List<String>> values = new LinkedHashMap<>();
    private List<String> program = List.of();

    /// Reads `arguments` from `from` on; null if picocli shall explain.
    static @Nullable RunArguments quick(String[] arguments, int from) {
        RunArguments read = new RunArguments();
        int at = from;
        while (at < arguments.length && arguments[at].startsWith("-")) {
            String word = arguments[at++];
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            RunOption option = RunOption.named(equals < 0 ? word : word.substring(0, equals));
            if (option == null || option.parameter == null && equals >= 0) return null;
            if (option.parameter == null) {
                read.add(option, "");
            } else if (equals >= 0) {
                read.add(option, word.substring(equals + 1));
            } else {
                if (at == arguments.length) return null;
                read.add(option, arguments[at++]);
            }
        }
        read.program(List.of(arguments).subList(at, arguments.length));
        return read;
    }

    void add(RunOption option, String value) {
        values.computeIfAbsent(option, o -> new ArrayList<>()).add(value);
    }

    void program(List<String> words) {
        program = words;
    }

    /// @throws UsageException if a value makes no sense
    Run toRun() {
        if (program.isEmpty()) {
            throw new UsageException(
                    "nothing to run; name a source file, a main class or a jar:" + " tutti run -n 4 Hello.java");
        }
        String mpi = last(RunOption.MPI);
        String engine = last(RunOption.ENGINE);
        String size = last(RunOption.SIZE);
        String timeout = last(RunOption.TIMEOUT);
        Run.Builder run = Run.of(program.get(0), program.subList(1, program.size()))
                .mpi(mpi)
                .classPath(last(RunOption.CLASS_PATH))
                .jvm(all(RunOption.JVM))
                .env(environment())
                .wdir(path(RunOption.WDIR))
                .tagOutput(values.containsKey(RunOption.TAG_OUTPUT))
                .outputDir(path(RunOption.OUTPUT_DIR))
                .quiet(values.containsKey(RunOption.QUIET));
        if (size != null) run.size(ranks(size));
        if (engine != null) run.engine(engine);
        else if (mpi != null) run.engine("libmpi");
        if (timeout != null) run.timeout(seconds(timeout));
        String stall = last(RunOption.STALL);
        if (stall != null) run.stall(stallSeconds(stall));
        return run.build();
    }

    private List<String> all(RunOption option) {
        return values.getOrDefault(option, List.of());
    }

    private @Nullable String last(RunOption option) {
        List<String> given = all(option);
        return given.isEmpty() ? null : given.getLast();
    }

    private @Nullable Path path(RunOption option) {
        String given = last(option);
        return given == null ? null : Path.of(given);
    }

    /// @throws UsageException if it is no number
    static int ranks(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException("-n " + text + ": the number of ranks is a whole number, as in -n 4");
        }
    }

    private static Duration seconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds > 0 && seconds < 1e9) return Duration.ofNanos((long) (seconds * 1e9));
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException("--timeout " + text + ": give a number of seconds, as in --timeout 60");
    }

    private static Duration stallSeconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds >= 0 && seconds < 1e9) return Duration.ofNanos((long) (seconds * 1e9));
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException("--stall " + text + ": give a number of seconds, as in --stall 30, or 0 for never");
    }

    private Map<String, String> environment() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String definition : all(RunOption.ENV)) {
            int equals = definition.indexOf('=');
            String name = equals < 0 ? definition : definition.substring(0, equals);
            String value = equals < 0 ? System.getenv(name) : definition.substring(equals + 1);
            if (name.isEmpty()) throw new UsageException("-x " + definition + ": give NAME or NAME=VALUE");
            if (value != null) variables.put(name, value);
        }
        return variables;
    }
}
