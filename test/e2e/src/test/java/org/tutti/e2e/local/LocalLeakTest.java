package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Resources that remain in the process after jobs in threads.
@Timeout(120)
class LocalLeakTest {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int JOBS = 20;

    private static long openJobFiles() {
        long count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : open) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor).toString().contains("tutti")) count++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return count;
    }

    private static void job(Mpi mpi) {
        mpi.world().allreduce(1, Op.SUM);
    }

    /// Memory and descriptors are released when the job's objects are garbage collected.
    @Test
    void finishedJobKeepsNoFile() throws InterruptedException {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "/proc/self/fd does not exist");
        Tutti.local(2, LocalLeakTest::job);
        long before = openJobFiles();
        for (int i = 0; i < JOBS; i++) Tutti.local(2, LocalLeakTest::job);
        for (int i = 0; i < 300 && openJobFiles() > before; i++) {
            System.gc();
            Thread.sleep(100);
        }
        assertThat(openJobFiles()).isLessThanOrEqualTo(before);
    }
}
