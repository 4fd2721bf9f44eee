package org.tutti.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.CacheDir;

/// A compiled source in the cache on disk, `kernels/SHA-256` of all that decides what the compiler makes
/// of it.
final class CompiledKernels {
    private static final String DIRECTORY = "kernels";
    private static final int KEPT = 500;

    private final @Nullable Path directory;
    private final String name;

    CompiledKernels(String source, List<String> options, String compiler) {
        directory = CacheDir.open(DIRECTORY);
        name = key(source, options, compiler);
    }

    static String key(String source, List<String> options, String compiler) {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            for (String part : List.of(compiler, String.join("\0", options), source)) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                hash.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
                hash.update(bytes);
            }
            return HexFormat.of().formatHex(hash.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java has it
        }
    }

    /// Null when it was not compiled yet.
    byte @Nullable [] read() {
        if (directory == null || !Files.exists(directory.resolve(name))) return null;
        try {
            return Files.readAllBytes(directory.resolve(name));
        } catch (IOException e) {
            return null;
        }
    }

    /// Keeps it for the next time, where that is possible.
    void write(byte[] binary) {
        if (directory == null) return;
        try {
            CacheDir.write(directory.resolve(name), binary);
            CacheDir.prune(directory, KEPT);
        } catch (IOException e) {
            // it will be compiled again
        }
    }
}
