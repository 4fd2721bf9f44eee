package org.tutti.launch.machine;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The programs that `PATH` leads to.
public final class SearchPath {
    /// The environment variable.
    public static final String VARIABLE = "PATH";

    private SearchPath() {}

    /// All of that name, the one that a shell takes first.
    public static List<Path> all(String name) {
        String path = System.getenv(VARIABLE);
        return path == null ? List.of() : all(name, path);
    }

    private static List<Path> all(String name, String path) {
        List<Path> found = new ArrayList<>();
        for (String directory : path.split(File.pathSeparator)) {
            Path command = Path.of(directory, name);
            if (Files.isExecutable(command) && !Files.isDirectory(command)) found.add(command);
        }
        return found;
    }

    /// The one that a shell takes; null if there is none.
    public static @Nullable Path first(String name) {
        List<Path> found = all(name);
        return found.isEmpty() ? null : found.getFirst();
    }

    /// The same of another `PATH`.
    public static @Nullable Path first(String name, String path) {
        List<Path> found = all(name, path);
        return found.isEmpty() ? null : found.getFirst();
    }
}
