package org.tutti.e2e.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// The AOT caches that `./tutti` creates after a build to shorten the start of jobs: one for the launcher, and
/// the caches of the ranks, which `tutti prepare` creates. The first test that starts a launcher creates the
/// caches for all JVMs of the build.
final class AotCaches {
    private static final Path FILE = Checkout.SCRATCH.resolve("tutti.aot");

    /// The cache option of the launcher. Empty if the classes are in directories, which the JVM does not cache.
    private static final List<String> FLAGS = Checkout.isPackaged() ? make() : List.of();

    private AotCaches() {}

    static List<String> flags() {
        return FLAGS;
    }

    private static List<String> make() {
        try {
            Files.createDirectories(Checkout.SCRATCH);
            Path lock = Checkout.SCRATCH.resolve("tutti.aot.lock");
            try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.lock(); // held until the channel is closed
                if (!isCurrent()) prepare();
            }
            return List.of("-XX:AOTCache=" + FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isCurrent() throws IOException {
        if (!Files.exists(FILE)) return false;
        for (String jar : Checkout.CLASS_PATH) {
            if (Files.getLastModifiedTime(Path.of(jar)).compareTo(Files.getLastModifiedTime(FILE)) > 0) return false;
        }
        return true;
    }

    private static void prepare() throws IOException, InterruptedException {
        Files.deleteIfExists(FILE);
        List<String> cache = List.of("-XX:AOTCacheOutput=" + FILE);
        ProcessOutcome outcome = Command.launcher(
                        cache, List.of("--enable-native-access=ALL-UNNAMED"), List.of("prepare"))
                .run();
        if (outcome.code() != 0 || !Files.exists(FILE)) throw new AssertionError("no AOT cache: " + outcome);
    }
}
