package org.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.CacheDir;
import org.tutti.launch.UsageException;
import org.tutti.launch.artifact.MavenCoordinates;
import org.tutti.launch.artifact.Repositories;

/// The jars of a tensor library in a distribution. The adapter of Tutti is in the folder `with/NAME`, with a
/// list of the jars that `tutti fetch` downloads, one list per platform:
///
///     with/torch/tutti-train-torch-VERSION.jar
///     with/torch/linux-x86_64.tsv                 COORDINATES · SIZE · SHA-256
///
/// The jars are stored in the same folder, or in the user's cache if the folder cannot be written.
final class LibraryFiles {
    private static final String PARTIAL = ".part", CACHE = "with";

    /// A downloaded jar.
    ///
    /// @param bytes the size of the file
    /// @param sha256 in hexadecimal digits
    private record Jar(MavenCoordinates artifact, long bytes, String sha256) {
        static Jar of(String line) {
            String[] columns = line.split("\t");
            return new Jar(MavenCoordinates.of(columns[0]), Long.parseLong(columns[1]), columns[2]);
        }

        String file() {
            String classifier = artifact.classifier().isEmpty() ? "" : "-" + artifact.classifier();
            return artifact.name() + "-" + artifact.version() + classifier + ".jar";
        }
    }

    private final String name;
    private final Path shipped;
    private final List<Jar> jars;

    private LibraryFiles(String name, Path shipped, List<Jar> jars) {
        this.name = name;
        this.shipped = shipped;
        this.jars = jars;
    }

    /// @param shipped the folder `with/NAME` of the distribution
    /// @throws UsageException if the library does not exist for this platform
    static LibraryFiles in(Path shipped) {
        String name = shipped.getFileName().toString(), platform = platform();
        Path list = shipped.resolve(platform + ".tsv");
        if (!Files.isRegularFile(list)) {
            throw new UsageException(name + " is not available for " + platform + ", only for " + platforms(shipped));
        }
        try {
            return new LibraryFiles(
                    name,
                    shipped,
                    Files.readAllLines(list).stream().map(Jar::of).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the platform of this machine, as in the classifiers of native jars: `linux-x86_64`.
    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch");
        return system + "-" + (processor.equals("amd64") ? "x86_64" : processor);
    }

    private static String platforms(Path shipped) {
        try (Stream<Path> files = Files.list(shipped)) {
            return String.join(
                    ", ",
                    files.map(f -> f.getFileName().toString())
                            .filter(f -> f.endsWith(".tsv"))
                            .map(f -> f.replace(".tsv", ""))
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the size of all jars, in bytes.
    long bytes() {
        return jars.stream().mapToLong(Jar::bytes).sum();
    }

    /// Returns the size of the complete jars and of the partial downloads, in bytes.
    long bytesPresent() {
        Path into = destination();
        long present = 0;
        for (Jar jar : jars) {
            if (find(jar) != null) present += jar.bytes();
            else if (into != null) present += partialSize(into, jar);
        }
        return present;
    }

    int count() {
        return jars.size();
    }

    boolean isComplete() {
        return jars.stream().allMatch(jar -> find(jar) != null);
    }

    /// Returns the jars of the adapter and the library, for a class path.
    List<Path> classPath() {
        List<Path> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(shipped)) {
            files.filter(f -> f.getFileName().toString().matches("tutti-.*\\.jar"))
                    .sorted()
                    .forEach(all::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (Jar jar : jars) {
            Path file = find(jar);
            if (file != null) all.add(file);
        }
        return all;
    }

    private @Nullable Path find(Jar jar) {
        Path file = in(shipped, jar), cache = cache();
        return file != null || cache == null ? file : in(cache, jar);
    }

    private static @Nullable Path in(Path folder, Jar jar) {
        Path file = folder.resolve(jar.file());
        return file.toFile().length() == jar.bytes() ? file : null;
    }

    private @Nullable Path cache() {
        Path folder = CacheDir.open(CACHE);
        return folder == null ? null : folder.resolve(name);
    }

    /// Returns the folder for downloads: `with/NAME`, or the folder in the user's cache if `with/NAME` cannot
    /// be written; null if neither can be written.
    @Nullable
    Path destination() {
        return Files.isWritable(shipped) ? shipped : cache();
    }

    private static long partialSize(Path folder, Jar jar) {
        return Math.min(
                jar.bytes(), folder.resolve(jar.file() + PARTIAL).toFile().length());
    }

    /// Downloads the missing jars.
    ///
    /// @param received receives the size of the complete jars and of the partial downloads, in bytes
    /// @throws IOException if a jar cannot be downloaded; the next call continues the download
    void fetch(Repositories repositories, Path into, LongConsumer received) throws IOException {
        Files.createDirectories(into);
        for (Jar jar : jars) {
            if (find(jar) != null) continue;
            long before = bytesPresent() - partialSize(into, jar);
            fetch(repositories, jar, into, size -> received.accept(before + size));
        }
    }

    private void fetch(Repositories repositories, Jar jar, Path into, LongConsumer received) throws IOException {
        Path partial = into.resolve(jar.file() + PARTIAL);
        try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = lock(channel)) {
            if (lock == null) throw new IOException("another tutti fetch downloads to " + into + "; wait for its end");
            if (channel.size() > jar.bytes()) channel.truncate(0);
            long before = channel.size();
            if (before < jar.bytes()) repositories.download(jar.artifact(), partial, received);
            if (channel.size() < jar.bytes() && channel.size() == before) {
                Files.delete(partial);
                throw new IOException(jar.file() + ": the repository's file has " + before + " bytes, but "
                        + jar.bytes() + " were expected; use another mirror (~/.m2/settings.xml)");
            }
            if (channel.size() < jar.bytes()) {
                throw new IOException(jar.file() + ": the connection ended after " + channel.size() + " of "
                        + jar.bytes() + " bytes; run tutti fetch " + name + " again, which continues");
            }
            String found = sha256(partial);
            if (!found.equals(jar.sha256())) {
                Files.delete(partial);
                throw new IOException(jar.file() + " has the SHA-256 " + found + ", but " + jar.sha256()
                        + " was expected; the repository has a different file, or the download was damaged: run"
                        + " tutti fetch " + name + " again");
            }
            Files.move(partial, into.resolve(jar.file()), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /// Returns null if a different download holds the lock.
    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // a download of this process holds the lock
        }
    }

    private static String sha256(Path file) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
