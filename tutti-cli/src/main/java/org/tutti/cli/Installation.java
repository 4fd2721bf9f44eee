package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Where this command was started from: a checkout (`./tutti`), or an unpacked distribution (`bin/tutti`).
final class Installation {
    /// Its directory, which both scripts tell.
    private static final String HOME = "tutti.home";

    /// What a distribution has and a checkout has not: a folder for each word of `--with`.
    private static final String WITH = "with";

    private Installation() {}

    /// Whether one of the scripts has started this command.
    static boolean isKnown() {
        return System.getProperty(HOME) != null;
    }

    static Path home() {
        return Path.of(System.getProperty(HOME, "")).toAbsolutePath().normalize();
    }

    static boolean isDistribution() {
        return Files.isDirectory(home().resolve(WITH));
    }

    static Path script() {
        return home().resolve(isDistribution() ? "bin/tutti" : "tutti");
    }

    /// The script, as it is typed here.
    static String command() {
        boolean isHere = home().equals(Path.of("").toAbsolutePath());
        return isHere ? "./" + home().relativize(script()) : script().toString();
    }

    /// Where the jars are that a word of `--with` adds to a class path.
    ///
    /// @param module that gathers them in a checkout, in that folder of its build directory
    static Path adapter(String word, String module, String folder) {
        return isDistribution() ? home().resolve(WITH, word) : home().resolve(module, "target", folder);
    }

    static boolean hasJars(Path folder) {
        if (!Files.isDirectory(folder)) return false;
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(f -> f.toString().endsWith(".jar"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
