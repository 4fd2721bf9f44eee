package org.tutti.launch;

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
        List<String> jvm) {}
