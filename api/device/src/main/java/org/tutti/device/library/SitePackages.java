package org.tutti.device.library;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The package directories of the user's active Python; some packages contain device libraries.
final class SitePackages {
    /// Subdirectories of a Python installation; the newest version is first.
    private static final List<String> BELOW = List.of("lib/python3*/site-packages", "lib/python3*/dist-packages");

    private SitePackages() {}

    /// Returns the directories of `VIRTUAL_ENV` and `CONDA_PREFIX`, followed by those of the `python3` on the
    /// path. Does not start Python.
    static List<Path> of(Map<String, String> environment) {
        Set<Path> homes = new LinkedHashSet<>();
        for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
            String value = environment.get(variable);
            if (value != null && value.startsWith("/")) homes.add(Path.of(value));
        }
        Path python = onPath(environment.get("PATH"));
        if (python != null) homes.add(python);
        List<Path> found = new ArrayList<>();
        for (Path home : homes) {
            for (String below : BELOW) found.addAll(DynamicLibrary.matching(home + "/" + below));
        }
        return found;
    }

    /// Returns the parent of the `bin` directory with the first `python3`; null if none exists.
    private static @Nullable Path onPath(@Nullable String path) {
        if (path == null) return null;
        for (String entry : path.split(":", -1)) {
            if (entry.startsWith("/") && Files.isExecutable(Path.of(entry, "python3"))) {
                return Path.of(entry).getParent();
            }
        }
        return null;
    }
}
