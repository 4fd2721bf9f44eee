package org.tutti.launch.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Searches a directory for source files with a main method, for the error text if the user has specified the
/// directory instead of a program.
final class SourcePrograms {
    private static final Pattern MAIN = Pattern.compile("\\bvoid\\s+main\\s*\\(");

    /// The limits of the search. A larger tree is not searched, because an error text must not take seconds.
    private static final int MOST_FILES = 1000, MOST_DEPTH = 10;

    private SourcePrograms() {}

    /// Returns the files, at most two. Empty if the tree is too large, or a file cannot be read.
    static List<Path> in(Path directory) {
        List<Path> programs = new ArrayList<>();
        try (Stream<Path> tree = Files.walk(directory, MOST_DEPTH)) {
            List<Path> files = tree.limit(MOST_FILES + 1).toList();
            if (files.size() > MOST_FILES) return List.of();
            for (Path file : files) {
                if (!file.toString().endsWith(".java") || !Files.isRegularFile(file)) continue;
                if (MAIN.matcher(Files.readString(file)).find()) programs.add(file);
                if (programs.size() > 1) break;
            }
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // the caller names the possible forms of a program
        }
        return programs;
    }
}
