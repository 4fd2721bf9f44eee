package org.tutti.job.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/// An implementation in pure Java. It polls the parent process, and threads that wait must poll, too.
public final class PortablePlatform implements OsPlatform {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");

    /// The options for creating the file. On Windows, `SPARSE` has an effect only in the call that creates the
    /// file.
    private static final Set<StandardOpenOption> CREATED_SPARSE = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.SPARSE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);

    @Override
    public String name() {
        return "plain";
    }

    @Override
    public boolean usable() {
        return true;
    }

    /// Creates a file. On Linux, the file is deleted immediately, and other processes open it through `/proc`;
    /// on other systems, it is deleted when this process ends.
    @Override
    public JobFile createFile(String label, long bytes) throws IOException {
        boolean linux = SupportedSystem.isLinux() && Files.isDirectory(OWN_DESCRIPTORS);
        Path directory = linux && Files.isWritable(SHARED_MEMORY)
                ? SHARED_MEMORY
                : Path.of(System.getProperty("java.io.tmpdir"));
        Path file = directory.resolve(label + Long.toUnsignedString(new SecureRandom().nextLong()) + ".tmp");
        FileChannel channel;
        try {
            channel = FileChannel.open(file, CREATED_SPARSE, onlyMe(directory));
        } catch (IOException e) {
            throw new IOException(
                    "shared memory needs a file in " + directory + ", which cannot be created (" + e
                            + "); free space there, or set a directory with JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=DIRECTORY",
                    e);
        }
        try {
            channel.write(ByteBuffer.allocate(1), bytes - 1);
            return new JobFile(channel, linux ? descriptorOf(file) : file.toString());
        } catch (IOException e) {
            channel.close();
            throw new IOException(
                    "shared memory needs a file in " + directory + ", which cannot be written (" + e.getMessage()
                            + "); free space there",
                    e);
        } finally {
            if (linux) Files.delete(file);
            else file.toFile().deleteOnExit();
        }
    }

    private static FileAttribute<?>[] onlyMe(Path directory) {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) return new FileAttribute<?>[0];
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        };
    }

    private static String descriptorOf(Path file) throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(OWN_DESCRIPTORS)) {
            for (Path descriptor : open) {
                if (NamelessFiles.target(descriptor).equals(file.toString())) {
                    return "/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor.getFileName();
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        throw new IOException("no descriptor of " + file + " under " + OWN_DESCRIPTORS);
    }

    @Override
    public void prepare() {
        // there is no slow operation to prepare
    }

    @Override
    public boolean canSleep() {
        return false;
    }

    @Override
    public boolean canWake() {
        return false;
    }

    @Override
    public void sleep(MemorySegment memory, long offset, int expected, long nanos) {
        throw new UnsupportedOperationException("Java without native access cannot sleep on shared memory");
    }

    @Override
    public void wake(MemorySegment memory, long offset) {
        // no effect, because this implementation cannot wake threads of other processes: threads do not fall
        // asleep after this process has joined, and a thread that was already asleep polls when the time limit
        // of the sleep expires
    }

    @Override
    public void dieWithParent(long parentPid) {
        Thread.ofPlatform().daemon().name("tutti-parent-watch").start(() -> {
            while (ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L) == parentPid) {
                LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            }
            Runtime.getRuntime().halt(137);
        });
    }

    @Override
    public void signal(long pid, int number) {
        if (ProcessHandle.of(pid).isEmpty()) return; // the pid of an ended process may be reused soon
        try {
            new ProcessBuilder("kill", "-" + number, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            // this system has no command `kill`, and therefore no such signal
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean canBind() {
        return false;
    }

    @Override
    public void bindThread(BitSet cpus) throws IOException {
        throw new IOException("plain Java cannot bind a thread to cpus " + cpus);
    }
}
