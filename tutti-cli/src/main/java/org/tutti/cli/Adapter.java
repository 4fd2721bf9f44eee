package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// A tensor library that a program can be given by name: `--with torch`. Its jars are large, so they are no
/// part of the command; each adapter's module gathers its own.
enum Adapter {
    TORCH("torch", "org\\.bytedeco\\.pytorch|org\\.tutti\\.train\\.torch"),
    DJL("djl", "ai\\.djl|org\\.tutti\\.train\\.djl");

    /// Libraries of that age call what the JDK warns of.
    static final String JVM_OPTION = "--sun-misc-unsafe-memory-access=allow";

    private final String name;

    /// Finds it in a source file.
    private final Pattern imported;

    Adapter(String name, String packages) {
        this.name = name;
        imported = Pattern.compile("(?m)^\\s*import\\s+(static\\s+)?(" + packages + ")\\b");
    }

    /// The jars of the one that is named, as a class path; null for none.
    ///
    /// @throws UsageException if there is none of that name, it is not built, or two are named
    static @Nullable String classPath(List<String> names) {
        if (names.isEmpty()) return null;
        List<Adapter> named = names.stream().map(Adapter::named).distinct().toList();
        if (named.size() > 1) {
            throw new UsageException(
                    "--with " + String.join(" --with ", names) + ": each brings a libtorch of its own; give one");
        }
        return named.getFirst().jars();
    }

    private static Adapter named(String name) {
        for (Adapter a : values()) if (a.name.equals(name)) return a;
        throw new UsageException(
                "--with " + name + ": there are torch (libtorch, PyTorch's core) and djl (Deep Java" + " Library)");
    }

    private String jars() {
        String home = System.getProperty(ExamplesCommand.HOME, "");
        String module = "tutti-train-" + name;
        Path lib = Path.of(home, module, "target", "lib");
        if (!Files.isDirectory(lib)) {
            throw new UsageException("--with " + name + ": there are no jars in " + lib.toAbsolutePath()
                    + "; in Tutti's source, ./mvnw -q -DskipTests -pl " + module + " -am package brings them there");
        }
        return lib.resolve("*").toString();
    }

    /// @throws UsageException if a source file is given no class path, and imports one of them
    static void requireFor(String program) {
        if (!program.endsWith(".java")) return;
        String source;
        try {
            source = Files.readString(Path.of(program));
        } catch (IOException e) {
            return; // what is wrong with the file is said where it is compiled
        }
        for (Adapter a : values()) {
            var found = a.imported.matcher(source);
            if (found.find()) {
                throw new UsageException(program + " imports " + found.group(2) + ", which is not on its class path;"
                        + " add --with " + a.name);
            }
        }
    }
}
