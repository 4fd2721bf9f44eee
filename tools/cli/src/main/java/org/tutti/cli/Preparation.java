package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.launch.job.Launcher;

/// `tutti prepare`, which an installation runs once to accelerate later runs. It creates the ranks' AOT cache
/// and runs a small program, which also trains the launcher's cache. This class does not use picocli.
/// Otherwise, the launcher's cache would contain classes that need picocli, and each start would open picocli's
/// jar.
final class Preparation {
    private static final String PROGRAM = "void main() { IO.println(\"ready\"); }\n";

    private Preparation() {}

    /// Returns the exit code.
    static int run() throws IOException {
        Version.print();
        Launcher.prepare(1);
        Launcher.prepare(Runtime.getRuntime().availableProcessors());
        Path directory = Files.createTempDirectory("tutti");
        Path source = directory.resolve("Ready.java");
        try {
            Files.writeString(source, PROGRAM);
            return Main.execute("run", "-n", "2", source.toString());
        } finally {
            Files.deleteIfExists(source);
            Files.deleteIfExists(directory);
        }
    }
}
