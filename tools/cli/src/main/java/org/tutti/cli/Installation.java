package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The installation of this command: a checkout (`./tutti`), or an unpacked distribution (`bin/tutti`).
final class Installation {
    /// The property for the directory, set by the scripts.
    private static final String HOME = "tutti.home";

    /// Exists only in a distribution: contains a folder for each value of `--with`.
    private static final String WITH = "with";

    /// The folder of an adapter's jars in a build directory, or the beginning of the folder's name.
    private static final String JARS = "lib";

    /// The copies of adapters' jars that `./tutti` has locked for this process: `MODULE/FOLDER=NUMBER`,
    /// separated by spaces.
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

    /// Returns the path of the script as the user types it in the current directory.
    static String command() {
        boolean isHere = home().equals(Path.of("").toAbsolutePath());
        return isHere ? "./" + home().relativize(script()) : script().toString();
    }

    /// Returns the folder of the jars that a value of `--with` adds to a class path.
    ///
    /// @param module in a checkout, the folder of the module that collects the jars; the jars are in `folder`
    ///     of the module's build directory
    static Path adapter(String word, String module, String folder) {
        if (isDistribution()) return home().resolve(WITH, word);
        String version = version(module + "/" + folder, System.getProperty(ADAPTERS, ""));
        String copies = "run" + folder.substring(JARS.length());
        return version == null
                ? home().resolve(module, "target", folder)
                : home().resolve(module, "target", copies, version);
    }

    /// Returns the number of the copy of an adapter's jars that this process uses; null if it uses the original
    /// jars.
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
