package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tutti.launch.job.Launcher;
import picocli.CommandLine.Command;

/// What an installation does once, so that all runs start fast: makes the ranks' AOT cache, and runs a small
/// program, which is also what the launcher's own cache is trained with.
@Command(name = "prepare", hidden = true, description = "Makes the caches that let programs start faster.")
final class PrepareCommand implements Callable<Integer> {
    private static final String PROGRAM = "void main() { IO.println(\"ready\"); }\n";

    @Override
    public Integer call() throws IOException, InterruptedException {
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
