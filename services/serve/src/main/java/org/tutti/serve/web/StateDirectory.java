package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.serve.job.StoreException;

/// The directory of a service. Only the owner has access to it, and only one service at a time uses it.
///
///     run-token, read-token    64 hexadecimal digits each, created once, mode 0600
///     address                  the current or last address
///     lock                     held by the service that uses the directory
///     jobs                     see org.tutti.serve.job.JobFiles
public final class StateDirectory implements AutoCloseable {
    private static final int TOKEN_BYTES = 32, TOKEN_CHARS = 2 * TOKEN_BYTES;
    private static final FileAttribute<?> FILE = mode("rw-------"), DIRECTORY = mode("rwx------");
    private static final Set<PosixFilePermission> NOT_OWNER = PosixFilePermissions.fromString("---rwxrwx");
    private static final String ADDRESS = "address", RUN_TOKEN = "run-token", READ_TOKEN = "read-token";

    private final Path path;
    private final FileChannel lock;
    private final String runToken;
    private final String readToken;

    private StateDirectory(Path path, FileChannel lock) throws IOException {
        this.path = path;
        this.lock = lock;
        runToken = token(RUN_TOKEN);
        readToken = token(READ_TOKEN);
        if (runToken.equals(readToken)) {
            throw new IOException(
                    path.resolve(READ_TOKEN) + " contains the run token; delete the file to create a new token");
        }
    }

    private static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /// @throws IOException if other users have access, if a second service uses the directory, or if the user
    ///     is root and the settings do not allow this
    public static StateDirectory open(ServiceSettings settings) throws IOException {
        int user = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (user == 0 && !settings.allowRoot()) {
            throw new IOException("a service runs functions for clients, and this process runs as root;"
                    + " start it as a different user, or with --allow-run-as-root");
        }
        Path path = settings.state().toAbsolutePath().normalize();
        Path parent = path.getParent();
        if (parent == null) throw new IOException("--state " + path + " is the root directory; name one below it");
        try {
            if (!Files.isDirectory(parent)) Files.createDirectories(parent);
            Files.createDirectory(path, DIRECTORY);
        } catch (FileAlreadyExistsException e) {
            if (!path.toString().equals(e.getFile())) throw notCreated(path, e);
            requireOwn(path, user, true);
        } catch (IOException e) {
            throw notCreated(path, e);
        }
        Path lockFile = path.resolve("lock");
        FileChannel lock = StoreException.on(
                lockFile,
                () -> FileChannel.open(
                        lockFile,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS),
                        FILE));
        boolean isOpen = false;
        try {
            if (tryLock(lock, lockFile) == null)
                throw new IOException("a different service uses the directory " + path);
            StateDirectory opened = new StateDirectory(path, lock);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) lock.close();
        }
    }

    private static IOException notCreated(Path path, IOException e) {
        boolean isFile = e instanceof FileAlreadyExistsException;
        String why = isFile ? e.getMessage() + " is not a directory" : e.toString();
        return new IOException("the service's directory " + path + " cannot be created: " + why, e);
    }

    private static @Nullable FileLock tryLock(FileChannel file, Path path) throws IOException {
        return StoreException.<@Nullable FileLock>on(path, () -> {
            try {
                return file.tryLock();
            } catch (OverlappingFileLockException e) {
                return null; // a service of this process holds the lock
            }
        });
    }

    /// Checks that the path is a directory or a file of this user, not a link, and that other users have no
    /// access to it.
    private static void requireOwn(Path path, int user, boolean directory) throws IOException {
        PosixFileAttributes found = StoreException.on(
                path, () -> Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        boolean right = directory ? found.isDirectory() : found.isRegularFile();
        int owner = (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!right || owner != user || found.permissions().stream().anyMatch(NOT_OWNER::contains)) {
            throw new IOException(path + " is not a " + (directory ? "directory" : "file") + " of this user only: "
                    + (right ? PosixFilePermissions.toString(found.permissions()) : "a link or another kind of file")
                    + ", owner " + owner + "; the files of a service must not be accessible to other users");
        }
    }

    private String token(String name) throws IOException {
        Path file = path.resolve(name);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] random = new byte[TOKEN_BYTES];
            new SecureRandom().nextBytes(random);
            write(name, HexFormat.of().formatHex(random) + "\n");
        }
        requireOwn(file, (Integer) Files.getAttribute(path, "unix:uid"), false);
        String token = StoreException.on(file, () -> new String(Files.readAllBytes(file), ISO_8859_1))
                .strip();
        if (!token.matches("[0-9a-f]{" + TOKEN_CHARS + "}")) {
            throw new IOException(file + " does not contain a token; delete the file to create a new token");
        }
        return token;
    }

    /// Writes a file atomically.
    private void write(String name, String text) throws IOException {
        Path made = path.resolve(".new-" + name);
        StoreException.doing(path.resolve(name), () -> {
            Files.deleteIfExists(made);
            try {
                try (FileChannel file =
                        FileChannel.open(made, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), FILE)) {
                    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
                    while (bytes.hasRemaining()) file.write(bytes);
                    file.force(true);
                }
                Files.move(made, path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                try {
                    Files.deleteIfExists(made);
                } catch (IOException also) {
                    e.addSuppressed(also);
                }
                throw e;
            }
        });
    }

    public Path path() {
        return path;
    }

    /// A token and the role that it grants. The text is secret, and must not be a key of a map, because
    /// exceptions of maps quote keys.
    record Token(String text, ServiceRole role) {
        @Override
        public String toString() {
            return "token of " + role;
        }
    }

    /// Returns the token that permits running functions.
    public String runToken() {
        return runToken;
    }

    List<Token> tokens() {
        return List.of(new Token(runToken, ServiceRole.RUN), new Token(readToken, ServiceRole.READ));
    }

    /// Publishes the address of the service to clients on this machine.
    public void address(URI address) throws IOException {
        write(ADDRESS, address + "\n");
    }

    @Override
    public void close() {
        try (lock) {
            Files.deleteIfExists(path.resolve(ADDRESS));
        } catch (IOException e) {
            System.err.println("tutti: service: " + e);
        }
    }
}
