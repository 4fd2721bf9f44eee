package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where this command was started from: a checkout (`./tutti`), or an unpacked distribution (`bin/tutti`).
final class Installation {
    /// Its directory, which both scripts tell.
    private static final String HOME = "tutti.home";

    /// What a distribution has and a checkout has not: a folder for each word of `--with`.
    private static final String WITH = "with";

    /// The folder of an adapter's jars, or the beginning of its name.
    private static final String JARS = "lib";

    /// Which copies of adapters' jars `./tutti` has locked for this process: `MODULE/FOLDER=NUMBER`, divided by
    /// blanks.
    private static final String ADAPTERS = "tutti.adapters";

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
    /// @param module the folder of the module that gathers them in a checkout, in `folder` of its build
    ///     directory
    static Path adapter(String word, String module, String folder) {
        if (isDistribution()) return home().resolve(WITH, word);
        String version = version(module + "/" + folder, System.getProperty(ADAPTERS, ""));
        String copies = "run" + folder.substring(JARS.length());
        return version == null
                ? home().resolve(module, "target", folder)
                : home().resolve(module, "target", copies, version);
    }

    /// The number of the copy of an adapter's jars that this process uses; null where it uses the jars
    /// themselves.
    static @Nullable String version(String adapter, String versions) {
        for (String word : versions.split(" ")) {
            if (word.startsWith(adapter + "=")) return word.substring(adapter.length() + 1);
        }
        return null;
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
