package org.tutti.e2e.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The source of a test program in which labels mark some lines: a label is a comment at the end,
/// `// dead: rank 0`.
public record Marked(String file, List<String> lines) {
    /// Reads the source of `programs.PROGRAM`.
    public static Marked program(String program) {
        return of(Path.of("src/test/java/programs", program + ".java"));
    }

    /// Reads a source file of these tests.
    public static Marked of(Path source) {
        try {
            Path file = Checkout.module("tutti-e2e").resolve(source);
            return new Marked(source.getFileName().toString(), Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the lines with labels that begin with `beginning`, in the format of reports:
    /// `TwelveBugs.java:47`.
    public List<String> lines(String beginning) {
        List<String> found = IntStream.range(0, lines.size())
                .filter(i -> lines.get(i).contains("// " + beginning))
                .mapToObj(i -> file + ":" + (i + 1))
                .toList();
        if (found.isEmpty()) throw new AssertionError(file + " has no line with // " + beginning);
        return found;
    }

    /// Returns the line with this label, or null.
    public @Nullable String find(String name) {
        for (int i = 0; i < lines.size(); i++) if (lines.get(i).endsWith("// " + name)) return file + ":" + (i + 1);
        return null;
    }

    /// Returns the line with this label, which must exist.
    public String line(String name) {
        String found = find(name);
        if (found == null) throw new AssertionError(file + " has no line that ends in // " + name);
        return found;
    }
}
