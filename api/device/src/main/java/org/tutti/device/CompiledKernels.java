package org.tutti.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.CacheDir;

/// A compiled source in the disk cache. The file name in the directory `kernels` is the SHA-256 of all inputs of
/// the compilation. The file begins with the SHA-256 of the binary that follows: a driver receives a binary
/// without a length, and would read past the end of a truncated file.
final class CompiledKernels {
    private static final String DIRECTORY = "kernels";
    private static final int KEPT = 500, DIGEST_BYTES = 32;

    private final @Nullable Path directory;
    private final String name;

    CompiledKernels(String source, List<String> options, String compiler) {
        this(CacheDir.open(DIRECTORY), key(source, options, compiler));
    }

    /// @param directory the directory of the cache; null if the cache is not available
    CompiledKernels(@Nullable Path directory, String name) {
        this.directory = directory;
        this.name = name;
    }

    static String key(String source, List<String> options, String compiler) {
        MessageDigest hash = sha256();
        for (String part : List.of(compiler, String.join("\0", options), source)) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            hash.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
            hash.update(bytes);
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // required of every JDK
        }
    }

    /// Returns the binary; null if the source has not been compiled yet, or the file is damaged.
    byte @Nullable [] read() {
        if (directory == null || !Files.exists(directory.resolve(name))) return null;
        byte[] file;
        try {
            file = Files.readAllBytes(directory.resolve(name));
        } catch (IOException e) {
            return null;
        }
        if (file.length <= DIGEST_BYTES) return null;
        byte[] binary = Arrays.copyOfRange(file, DIGEST_BYTES, file.length);
        byte[] digest = sha256().digest(binary);
        return Arrays.equals(digest, 0, DIGEST_BYTES, file, 0, DIGEST_BYTES) ? binary : null;
    }

    /// Writes the binary to the cache, if possible.
    void write(byte[] binary) {
        if (directory == null) return;
        byte[] file = Arrays.copyOf(sha256().digest(binary), DIGEST_BYTES + binary.length);
        System.arraycopy(binary, 0, file, DIGEST_BYTES, binary.length);
        try {
            CacheDir.write(directory.resolve(name), file);
            CacheDir.prune(directory, KEPT);
        } catch (IOException e) {
            // the next process compiles the source again
        }
    }
}
