package org.tutti.launch.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// A directory for a compiled program outside of the cache; deleted when the launcher ends.
final class TemporaryDir {
    private TemporaryDir() {}

    static Path make() throws IOException {
        Path directory = Files.createTempDirectory("tutti");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory), "tutti-delete"));
        return directory;
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) Files.delete(file);
        } catch (IOException e) {
            // not reported here: the deletion of the directory then fails, too, and reports the failure
        }
        try {
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            System.err.println("tutti: " + directory + " could not be deleted: " + e);
        }
    }
}
