package org.tutti.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The command line of a program: options, the program, the arguments.
final class PartArguments {
    private final Map<RunOption, List<String>> values = new LinkedHashMap<>();
    private JavaCommandLine program = JavaCommandLine.of(List.of());

    /// Parses the command line of a program without using picocli. Returns null if picocli must parse the line
    /// to report an error.
    static @Nullable PartArguments quick(List<String> words) {
        PartArguments read = new PartArguments();
        int at = 0;
        while (at < words.size() && words.get(at).startsWith("-")) {
            String word = words.get(at++);
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            RunOption option = RunOption.named(equals < 0 ? word : word.substring(0, equals));
            if (option == null || option.parameter == null && equals >= 0) return null;
            if (option.parameter == null) {
                read.add(option, "");
            } else if (equals >= 0) {
                read.add(option, word.substring(equals + 1));
            } else {
                if (at == words.size()) return null;
                read.add(option, words.get(at++));
            }
        }
        read.program(words.subList(at, words.size()));
        return read;
    }

    void add(RunOption option, String value) {
        values.computeIfAbsent(option, o -> new ArrayList<>()).add(value);
    }

    void program(List<String> words) {
        program = JavaCommandLine.of(List.copyOf(words));
        for (String option : program.jvm()) add(RunOption.JVM, option);
        String classPath = program.classPath();
        if (classPath != null) add(RunOption.CLASS_PATH, classPath);
    }

    /// Returns the program's name and the arguments.
    List<String> program() {
        return program.program();
    }

    /// Returns a text such as `-x took Hello.java as its NAME[=VALUE]` if the value of an option has the form of
    /// a program; otherwise null.
    @Nullable
    String takenProgram() {
        for (RunOption option : values.keySet()) {
            for (String value : all(option)) {
                if (!value.endsWith(".java") && !value.endsWith(".jar") && !value.endsWith(".py")) continue;
                return option.names[0] + " took " + value + " as its " + option.parameter;
            }
        }
        return null;
    }

    Iterable<RunOption> options() {
        return values.keySet();
    }

    boolean has(RunOption option) {
        return values.containsKey(option);
    }

    List<String> all(RunOption option) {
        return values.getOrDefault(option, List.of());
    }

    @Nullable
    String last(RunOption option) {
        List<String> given = all(option);
        return given.isEmpty() ? null : given.getLast();
    }
}
