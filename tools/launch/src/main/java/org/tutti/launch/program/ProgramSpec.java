package org.tutti.launch.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A program of a job, and the number of ranks that run it.
///
/// @param program a source file, a jar, a main class, or a program in a different language
/// @param classPath the program's class path, in the format of `java -cp`
/// @param jvm options of the ranks' JVMs; these follow Tutti's options and have priority
public record ProgramSpec(
        int size,
        String program,
        List<String> args,
        @Nullable String classPath,
        List<String> jvm) {

    static final String PYTHON = ".py";

    /// Returns whether the program runs in a JVM. Otherwise it is a Python program, or an executable file
    /// specified with a directory: `./solver`.
    public boolean isJava() {
        if (program.endsWith(PYTHON)) return false;
        if (program.endsWith(".java") || program.endsWith(".jar") || program.endsWith(".class")) return true;
        Path file = Path.of(program);
        return program.indexOf('/') < 0 || Files.isDirectory(file) || !Files.isExecutable(file);
    }
}
