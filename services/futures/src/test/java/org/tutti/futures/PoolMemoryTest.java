package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.tutti.mpi.Tutti;

/// Mappings that remain after one thread has repeatedly opened and closed a pool.
class PoolMemoryTest {
    /// The number of pools; 200 in the larger builds. Each pool maps hundreds of GiB of addresses, so that some
    /// hundreds of pools would exhaust the address space if mappings remained.
    private static final int POOLS = Boolean.getBoolean("tutti.ci") || Boolean.getBoolean("tutti.full") ? 200 : 12;

    /// Maximum number of pools that may remain mapped, because a stack or a queue still references the last
    /// pools.
    private static final int MOST_LEFT = 4;

    private static final Path MAPS = Path.of("/proc/self/maps");

    @Test
    @EnabledOnOs(OS.LINUX)
    void theMemoryOfAClosedPoolIsReleased() throws Exception {
        long before = mapped();
        for (int i = 0; i < POOLS; i++) {
            try (RankPool pool = RankPool.threads(1)) {
                assertThat(pool.submit(x -> x + 1, i).join()).isEqualTo(i + 1);
            }
        }
        awaitRelease(before);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theMemoryOfALocalJobIsReleased() throws Exception {
        long before = mapped();
        for (int i = 0; i < POOLS; i++) {
            Tutti.local(2, mpi -> mpi.world().barrier());
        }
        awaitRelease(before);
    }

    private static void awaitRelease(long before) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (mapped() > before + MOST_LEFT && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(mapped()).isLessThanOrEqualTo(before + MOST_LEFT);
    }

    /// Returns the number of Tutti's shared mappings.
    private static long mapped() throws IOException {
        try (Stream<String> maps = Files.lines(MAPS)) {
            List<String> all = maps.filter(line -> line.contains("rw-s") && line.contains("tutti"))
                    .toList();
            return all.size();
        }
    }
}
