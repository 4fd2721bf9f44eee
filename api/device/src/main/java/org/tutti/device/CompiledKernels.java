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

/// A compiled source in the cache on disk, `kernels/SHA-256` of all that decides what the compiler makes
/// of it. The file begins with the SHA-256 of the binary that follows: drivers get no length with a binary, and
/// would read past the end of one that was cut off.
final class CompiledKernels {
    private static final String DIRECTORY = "kernels";
    private static final int KEPT = 500, DIGEST_BYTES = 32;

    private final @Nullable Path directory;
    private final String name;

    CompiledKernels(String source, List<String> options, String compiler) {
        this(CacheDir.open(DIRECTORY), key(source, options, compiler));
    }

    /// @param directory null where nothing can be kept
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
            throw new AssertionError(e); // every Java has it
        }
    }

    /// Null when it was not compiled yet, and when the file is damaged.
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

    /// Keeps it for the next time, where that is possible.
    void write(byte[] binary) {
        if (directory == null) return;
        byte[] file = Arrays.copyOf(sha256().digest(binary), DIGEST_BYTES + binary.length);
        System.arraycopy(binary, 0, file, DIGEST_BYTES, binary.length);
        try {
            CacheDir.write(directory.resolve(name), file);
            CacheDir.prune(directory, KEPT);
        } catch (IOException e) {
            // it will be compiled again
        }
    }
}
