package org.tutti.launch.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A program of a job, and how many of its ranks run it.
///
/// @param program a source file, a main class or a jar
/// @param classPath of the program, as `java -cp` takes it
/// @param jvm options of the ranks' JVMs; they come last and win
public record ProgramSpec(
        int size,
        String program,
        List<String> args,
        @Nullable String classPath,
        List<String> jvm) {

    static final String PYTHON = ".py";

    /// Whether it runs in a JVM. What does not is a Python program, or an executable file that is named
    /// with its directory: `./solver`.
    public boolean isJava() {
        if (program.endsWith(PYTHON)) return false;
        if (program.endsWith(".java") || program.endsWith(".jar") || program.endsWith(".class")) return true;
        Path file = Path.of(program);
        return program.indexOf('/') < 0 || Files.isDirectory(file) || !Files.isExecutable(file);
    }
}
