package org.tutti.job.environment;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The cache directory for files that are reused between runs: `$XDG_CACHE_HOME/tutti`, or `~/.cache/tutti`.
/// Every file may be deleted at any time.
public final class CacheDir {
    private CacheDir() {}

    private static final int MANY = 10;
    private static final int PRIME_ROUNDS = 2;

    /// The directory that the system creates for this process. The owner is therefore this user.
    private static final Path SELF = Path.of("/proc/self");

    private static final String OWNER = "unix:uid";

    /// The mode bits of the group and of all other users.
    private static final int NOT_OWNER = 077;

    /// Returns the directory `name` in the cache, and creates the directory if necessary; null if the directory
    /// cannot be written or is owned by a different user.
    public static @Nullable Path open(String name) {
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path base =
                xdg != null && xdg.startsWith("/") ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".cache");
        return open(base, name);
    }

    static @Nullable Path open(Path base, String name) {
        Path ours = base.resolve("tutti"), directory = ours.resolve(name);
        try {
            if (!Files.isDirectory(base)) Files.createDirectories(base);
            return isPrivate(ours) && isPrivate(directory) && Files.isWritable(directory) ? directory : null;
        } catch (IOException e) {
            return null;
        }
    }

    /// Creates the directory if necessary, and removes the permissions of other users. Returns whether this
    /// user owns the directory: programs in the directory run as this user, so a different user with write
    /// access could run any code as this user. Without Unix file attributes, the owner is not checked, and the
    /// result is true.
    private static boolean isPrivate(Path directory) throws IOException {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            Files.createDirectories(directory);
            return true;
        }
        Set<PosixFilePermission> mine = PosixFilePermissions.fromString("rwx------");
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(mine));
        } catch (FileAlreadyExistsException e) {
            // this is the usual case
        }
        Path self = Files.exists(SELF) ? SELF : Path.of(System.getProperty("user.home"));
        int me = (int) Files.getAttribute(self, OWNER);
        boolean isMine = (int) Files.getAttribute(directory, OWNER) == me
                && (int) Files.getAttribute(directory, OWNER, LinkOption.NOFOLLOW_LINKS) == me;
        if (isMine && ((int) Files.getAttribute(directory, "unix:mode") & NOT_OWNER) != 0) {
            Files.setPosixFilePermissions(directory, mine);
        }
        return isMine;
    }

    /// Returns a file name for `key`: two 64-bit FNV-1a hashes. It is not used for security, and a security
    /// provider's hash would cost 8 ms at every start.
    public static String hash(byte[] key) {
        StringBuilder name = new StringBuilder(32);
        for (int round = 0; round < PRIME_ROUNDS; round++) {
            long hash = 0xcbf29ce484222325L + round;
            for (byte b : key) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
            String hex = Long.toHexString(hash);
            name.append("0000000000000000", hex.length(), 16).append(hex);
        }
        return name.toString();
    }

    public static String hash(String key) {
        return hash(key.getBytes(StandardCharsets.UTF_8));
    }

    /// Writes a file atomically; concurrent writers of the same content are harmless.
    public static void write(Path file, byte[] content) throws IOException {
        Path draft = draft(file);
        try {
            Files.write(draft, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            publish(draft, file);
        } catch (IOException e) {
            String why = e instanceof FileSystemException || e.getMessage() == null ? e.toString() : e.getMessage();
            throw new IOException(file + " cannot be written: " + why, e);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /// Returns a unique temporary name in the same directory. It does not depend only on the pid, because
    /// processes in containers with a common home directory often have the same pid.
    public static Path draft(Path file) {
        long pid = ProcessHandle.current().pid();
        return file.resolveSibling(file.getFileName() + "." + pid + "." + Long.toHexString(System.nanoTime()) + ".tmp");
    }

    public static void publish(Path draft, Path file) throws IOException {
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /// Deletes all files except the `keep` most recently written files. A JVM that has opened a deleted file
    /// can still use the file.
    public static void prune(Path directory, int keep) {
        prune(directory, keep, 0);
    }

    /// Like [#prune(Path, int)], but files that were written or used ([#touch]) in the last `usedMillis`
    /// remain: a process may be about to open such a file. If more than ten times `keep` files exist, the
    /// oldest files are deleted nevertheless.
    public static void prune(Path directory, int keep, long usedMillis) {
        File[] files = directory.toFile().listFiles();
        if (files == null || files.length <= keep) return;
        Arrays.sort(files, Comparator.comparingLong(File::lastModified));
        long used = System.currentTimeMillis() - usedMillis;
        for (int i = 0; i < files.length - keep; i++) {
            if (files.length - i <= MANY * keep && usedMillis > 0 && files[i].lastModified() > used) return;
            files[i].delete();
        }
    }

    /// Marks a file as used. A file that this process may not change is left unchanged.
    public static void touch(Path file) {
        file.toFile().setLastModified(System.currentTimeMillis());
    }
}
