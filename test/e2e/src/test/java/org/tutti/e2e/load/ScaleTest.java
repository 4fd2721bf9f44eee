package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Sandbox;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Many ranks on few cores and with little shared memory. Waiting ranks use little CPU time.
class ScaleTest extends JobTest {
    /// A number of ranks that exceeds the number of cores.
    private static final int CROWD = Runtime.getRuntime().availableProcessors() + 1;

    private static final long MOST_SHARED_BYTES = 64L << 20;
    private static final int BLOCK_BYTES = 512;
    private static final long SETTLE_MILLIS = 2_000;
    private static final long WATCH_MILLIS = Tier.FULL ? 10_000 : 4_000;
    private static final double MOST_OF_A_CORE = 0.05;

    private static final List<String> PLAIN = List.of("-Dtutti.door=plain");

    /// The ranks wait for each other forever, which must not be reported here.
    private static final List<String> NO_STALL = List.of("--stall", "0");

    private static final List<String> SMALL = List.of("--jvm", "-Xmx24m");

    @Test
    @Tag("full")
    void barrierAndAllreduceOn32Ranks() throws Exception {
        ProcessOutcome outcome = Command.program(Way.SHM, 32, SMALL, "Scale").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo("well done by 32\n");
    }

    /// Measures the memory. In the next test, the kernel limits the memory.
    @Test
    @Tag("ci")
    void manyRanksFitInto64MegabytesOfSharedMemory() throws Exception {
        int ranks = Tier.FULL ? 128 : 16;
        Child job = Command.program(Way.SHM, ranks, SMALL, "Waits", "sleep").start();
        job.awaitReady(ranks);
        long blocks = 0;
        for (String descriptor : Processes.descriptors(job.pid())) {
            String[] parts = descriptor.split(" ");
            if (!parts[1].startsWith("/memfd:tutti")) continue;
            String file = "/proc/" + job.pid() + "/fd/" + parts[0];
            ProcessOutcome stat = Command.of("stat", "-L", "-c", "%b", file).run();
            blocks = Long.parseLong(stat.out().strip());
        }
        System.out.println("shared memory of " + ranks + " ranks after a barrier: " + blocks * BLOCK_BYTES + " bytes");
        assertThat(blocks).isPositive();
        assertThat(blocks * BLOCK_BYTES).isLessThan(MOST_SHARED_BYTES);
        Processes.signal("TERM", job.pid());
        assertThat(job.await().code()).isEqualTo(143);
    }

    /// Uses the size of Docker's /dev/shm, and no native access in the launcher and the ranks.
    @Test
    @Tag("full")
    void ranks128FitIntoDevShmOf64Megabytes() throws Exception {
        try (Sandbox small = Sandbox.withSharedMemory("64m")) {
            Set<String> before = small.content();
            ProcessOutcome outcome = Command.launcher(
                            PLAIN, Command.arguments(Way.SHM, 128, plainRanks(SMALL), "RankPrinter", "hello"))
                    .in(small)
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out().lines()).hasSize(128);
            assertThat(small.content()).isEqualTo(before);
        }
    }

    /// This can happen only without native access: shared memory is then in a file system, and can be
    /// exhausted.
    @Test
    @Tag("ci")
    void oversizedAllocationFailsAndJobContinues() throws Exception {
        try (Sandbox small = Sandbox.withSharedMemory("64m")) {
            String much = Long.toString(80L << 20);
            ProcessOutcome outcome = Command.launcher(
                            PLAIN, Command.arguments(Way.SHM, 2, plainRanks(SMALL), "Narrow", much))
                    .in(small)
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out().lines().toList())
                    .satisfiesExactly(
                            alloc -> assertThat(alloc)
                                    .startsWith("alloc: alloc: no room for 83886080 bytes of shared memory: ")
                                    .contains(" bytes of the file system are free; ")
                                    .contains("has 67108864 bytes: enlarge it (docker run --shm-size=1g)"),
                            window -> assertThat(window)
                                    .startsWith("window: allocate: ")
                                    .contains(" no room for "));
            assertThat(Command.program(Way.SHM, 2, SMALL, "Narrow", much)
                            .in(small)
                            .run()
                            .out())
                    .as("memory outside of a file system")
                    .isEqualTo("alloc: given\nwindow: given\n");
        }
    }

    private static List<String> plainRanks(List<String> more) {
        List<String> options = new ArrayList<>(more);
        options.addAll(List.of("--jvm", PLAIN.getFirst()));
        return options;
    }

    /// Returns more ranks than cores for a library, which would otherwise busy-wait in native code.
    private static int ranks(Way way) {
        return way.isNative() ? CROWD : 2;
    }

    /// Compares the CPU time of all engines and libraries, which therefore run at the same time.
    @Test
    @Tag("full")
    void waitingRankUsesLittleCpuTime() throws Exception {
        Map<String, Child> jobs = new TreeMap<>();
        for (String wait : Tier.FULL ? List.of("recv", "barrier") : List.of("recv")) {
            for (Way way : Way.values()) {
                jobs.put(
                        way + ", " + wait,
                        Command.program(way, ranks(way), NO_STALL, "Waits", wait)
                                .start());
            }
            jobs.put(
                    "SHM without native access, " + wait,
                    Command.launcher(PLAIN, Command.arguments(Way.SHM, 2, plainRanks(NO_STALL), "Waits", wait))
                            .start());
        }
        Map<String, Long> watched = new TreeMap<>();
        for (Map.Entry<String, Child> job : jobs.entrySet()) {
            // in the mode "barrier", rank 0 only sleeps
            boolean crowded = !job.getKey().startsWith("SHM");
            watched.put(
                    job.getKey(), job.getValue().awaitReady(crowded ? CROWD : 2).get(1));
        }
        Thread.sleep(SETTLE_MILLIS);
        Map<String, Double> before = new TreeMap<>();
        for (Map.Entry<String, Long> rank : watched.entrySet()) {
            before.put(rank.getKey(), Processes.cpuSeconds(rank.getValue()));
        }
        long start = System.nanoTime();
        Thread.sleep(WATCH_MILLIS);
        Map<String, Double> cpuShares = new TreeMap<>();
        for (Map.Entry<String, Long> rank : watched.entrySet()) {
            double used = Processes.cpuSeconds(rank.getValue()) - before.get(rank.getKey());
            cpuShares.put(rank.getKey(), used / ((System.nanoTime() - start) * 1e-9));
        }
        System.out.println("share of a core while waiting: " + cpuShares);
        for (Child job : jobs.values()) Processes.signal("TERM", job.pid());
        for (Child job : jobs.values()) job.awaitCode();
        assertThat(cpuShares.values()).as("%s", cpuShares).allMatch(cpuShare -> cpuShare < MOST_OF_A_CORE);
    }
}
