package org.tutti.job.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobFileTest {
    private static final int PAGE = 4096;

    @AfterEach
    void forgetTheInterrupt() {
        Thread.interrupted();
    }

    @Test
    void anInterruptDoesNoHarm() throws IOException {
        try (JobFile mine = new PortablePlatform().createFile("tutti-test", 1 << 20);
                JobFile theirs = JobFile.attach(mine.path());
                Arena arena = Arena.ofConfined()) {
            for (JobFile file : new JobFile[] {mine, theirs}) {
                Thread.currentThread().interrupt();
                file.commit(PAGE, PAGE);
                assertThat(file.word(PAGE)).isZero();
                MemorySegment mapped = file.map(PAGE, PAGE, arena);
                assertThat(Thread.interrupted())
                        .as("the interrupt status is restored")
                        .isTrue();
                mapped.set(ValueLayout.JAVA_LONG, 0, 42);
                assertThat(file.word(PAGE)).isEqualTo(42);
                file.commit(2 * PAGE, PAGE);
            }
        }
    }

    /// An interrupt may also arrive during the operation.
    @Test
    void neitherDoManyInterruptsMeanwhile() throws IOException, InterruptedException {
        Thread me = Thread.currentThread();
        try (JobFile file = new PortablePlatform().createFile("tutti-test", 1 << 24);
                Arena arena = Arena.ofConfined()) {
            Thread other = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 2_000; i++) me.interrupt();
            });
            for (int i = 0; other.isAlive() || i < 20; i++) {
                file.commit(0, 1 << 20);
                assertThat(file.map(0, PAGE, arena).byteSize()).isEqualTo(PAGE);
            }
            assertThat(Thread.interrupted()).isTrue();
            other.join();
            file.commit(0, PAGE);
        }
    }

    /// The path contains the number of a descriptor, which the process may later reuse for a different file.
    @Test
    void aReplacedFileAtThePathIsNotModified(@TempDir Path directory) throws IOException {
        Path users = Files.writeString(directory.resolve("data"), "of the user");
        String path = "/proc/self/fd/";
        assumeTrue(Files.exists(Path.of(path)), "the system does not list descriptors");
        try (RandomAccessFile open = new RandomAccessFile(users.toFile(), "rw");
                Arena arena = Arena.ofConfined()) {
            String there = path + descriptorOf(users);
            assertThat(open.length()).isEqualTo(11);
            assertThatThrownBy(() -> JobFile.attach(there, "tutti-test")).isInstanceOf(NoSuchFileException.class);
            try (JobFile opened = JobFile.attach(there)) {
                assertThatThrownBy(() -> opened.map(0, PAGE, arena)).isInstanceOf(NoSuchFileException.class);
            }
        }
        assertThat(users).hasContent("of the user");
    }

    private static String descriptorOf(Path file) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(d -> NamelessFiles.target(d).equals(file.toString()))
                    .map(d -> d.getFileName().toString())
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void moreThanTheMachineHasLeftIsRefusedBeforeItIsTaken() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/meminfo")), "the system does not report available memory");
        try (JobFile file = new PortablePlatform().createFile("tutti-test", 1 << 20)) {
            assertThatThrownBy(() -> file.commit(0, 1L << 45))
                    .hasMessageMatching("no space for 35184372088832 bytes of shared memory \\(/proc/\\d+/fd/\\d+\\): "
                            + "this machine has \\d+ bytes of memory left");
        }
    }
}
