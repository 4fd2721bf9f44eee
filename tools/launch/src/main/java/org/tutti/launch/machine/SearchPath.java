package org.tutti.launch.machine;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Programs found by `PATH`.
public final class SearchPath {
    private SearchPath() {}

    /// Returns all programs with the name, in the order of `PATH`.
    public static List<Path> all(String name) {
        List<Path> found = new ArrayList<>();
        String path = System.getenv("PATH");
        if (path == null) return found;
        for (String directory : path.split(File.pathSeparator)) {
            Path command = Path.of(directory, name);
            if (Files.isExecutable(command) && !Files.isDirectory(command)) found.add(command);
        }
        return found;
    }

    /// Returns the program that a shell would start, or null.
    public static @Nullable Path first(String name) {
        List<Path> found = all(name);
        return found.isEmpty() ? null : found.getFirst();
    }
}
