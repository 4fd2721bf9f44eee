package org.tutti.launch.program;

import org.jspecify.annotations.Nullable;

/// The location of a program's classes.
///
/// @param classPath absolute entries; empty for none
/// @param bootLauncher the class of Spring Boot's loader that starts a main class of the jar; null for classes
///     that a JVM can load directly
/// @param areInImage whether Tutti, and perhaps the program, are modules of this run-time image
public record ProgramClasses(String classPath, @Nullable String bootLauncher, boolean areInImage) {
    /// Returns classes on a class path.
    public static ProgramClasses onPath(String classPath) {
        return new ProgramClasses(classPath, null, false);
    }

    /// Returns the same classes on a different class path.
    public ProgramClasses on(String path) {
        return new ProgramClasses(path, bootLauncher, areInImage);
    }
}
