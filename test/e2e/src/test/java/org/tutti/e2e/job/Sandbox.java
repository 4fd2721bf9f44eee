package org.tutti.e2e.job;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A private /tmp and /dev/shm, initially empty, so that every file was created by a test.
///
/// A process in a separate mount namespace holds the mounts, and ends within one second after this JVM. It is
/// not a child of the JVM, because the JDK runs a thread for each child process: that thread could run code of
/// the program, so deadlocks of threads would not be detected with certainty. If this user has no permission to
/// mount, jobs use the directories of the machine, and only files with names that Tutti, a JVM or an MPI
/// library would choose count.
public final class Sandbox implements CommandEnvironment, AutoCloseable {
    /// Shell commands that mount. `preserved` is a directory that the mount at /tmp must not hide, `size` the
    /// size of /dev/shm.
    static final String MOUNT = """
            if [ -n "$preserved" ]; then mount --bind "$preserved" /mnt || exit 1; fi
            mount -t tmpfs -o mode=1777 tutti-test /tmp || exit 1
            if [ -n "$preserved" ]; then mkdir -p "$preserved" && mount --move /mnt "$preserved" || exit 1; fi
            mount -t tmpfs -o mode=1777,size="$size" tutti-test /dev/shm || exit 1
            """;
    static final String SIZE = "50%";
    private static final String KEEP = "size=$0 preserved=$1\n" + MOUNT + """
            tail --pid="$2" -f /dev/null < /dev/null > /dev/null 2>&1 &
            echo $!
            """;
    static final String ENTER = "cd \"$0\" && exec \"$@\"";
    private static final List<String> NAMES =
            List.of("tutti", "hsperfdata", "vader", "ompi", "openmpi", "pmix", "mpich", "ucx", "hydra", "prte", "sem.");

    private static Sandbox common;

    /// A checkout under /tmp, which the mount would hide, and which is therefore mounted again in the new /tmp;
    /// otherwise empty.
    static final String PRESERVED = Checkout.ROOT.startsWith("/tmp") ? Checkout.ROOT.toString() : "";

    private final ProcessHandle holder;

    private Sandbox(ProcessHandle holder) {
        this.holder = holder;
    }

    /// Returns the sandbox that tests share.
    public static synchronized Sandbox common() {
        if (common == null) {
            common = start(SIZE);
            if (common == null) common = new Sandbox(null);
        }
        return common;
    }

    /// Creates a sandbox with a /dev/shm of this size, in the syntax of `mount`, for example `64m`. Skips the
    /// test if the mount fails.
    public static Sandbox withSharedMemory(String size) {
        Sandbox sandbox = start(size);
        Way.need(sandbox != null, "this user may not mount a /dev/shm of " + size);
        return sandbox;
    }

    private static Sandbox start(String size) {
        if (!Way.isOnPath("unshare") || !Way.isOnPath("nsenter")) return null;
        try {
            String self = Long.toString(ProcessHandle.current().pid());
            Process started = new ProcessBuilder("unshare", "-m", "sh", "-c", KEEP, size, PRESERVED, self)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String pid;
            try (BufferedReader output = started.inputReader()) {
                pid = output.readLine();
            }
            if (started.waitFor() != 0 || pid == null) return null;
            return ProcessHandle.of(Long.parseLong(pid)).map(Sandbox::new).orElse(null);
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /// Returns whether the directories are private.
    public boolean isPrivate() {
        return holder != null;
    }

    @Override
    public Map<String, String> environment() {
        return Map.of();
    }

    @Override
    public List<String> enter(Path directory, List<String> arguments) {
        if (holder == null) return arguments;
        return Stream.concat(
                        Stream.of(
                                "nsenter",
                                "-t",
                                Long.toString(holder.pid()),
                                "-m",
                                "sh",
                                "-c",
                                ENTER,
                                directory.toString()),
                        arguments.stream())
                .toList();
    }

    /// Returns the paths of all files in the two directories.
    public Set<String> content() {
        Set<String> names = new TreeSet<>();
        for (String directory : List.of("/tmp", "/dev/shm")) {
            boolean isolated = holder != null;
            Path root = holder == null ? Path.of(directory) : Path.of("/proc/" + holder.pid() + "/root" + directory);
            list(root).stream()
                    .filter(name -> isolated || NAMES.stream().anyMatch(name::contains))
                    .forEach(name -> names.add(directory + "/" + name));
        }
        return names;
    }

    /// Returns the names of the files in a directory for temporary files.
    static List<String> list(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> !isEmptyPerfData(file))
                    .map(file -> file.getFileName().toString())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns whether `file` is an empty directory `hsperfdata_*`: a JVM that ends normally removes the file
    /// from this directory, but not the directory.
    private static boolean isEmptyPerfData(Path file) {
        if (!file.getFileName().toString().startsWith("hsperfdata_")) return false;
        try (Stream<Path> files = Files.list(file)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        if (holder != null) holder.destroyForcibly();
    }
}
