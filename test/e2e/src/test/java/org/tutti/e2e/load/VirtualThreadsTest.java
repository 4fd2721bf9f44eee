package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Thousands of virtual threads on each of two ranks exchange messages with a single carrier. If a waiting
/// thread pinned the carrier, all threads would be blocked, including the communication partner.
class VirtualThreadsTest extends JobTest {
    private static final String THREADS = Tier.FULL ? "10000" : "2000";
    private static final List<String> ONE_CARRIER =
            List.of("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1");

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void thousandsOfEachRankOnOneCarrier(Way way) throws Exception {
        way.require();
        List<String> options = new ArrayList<>();
        for (String option : ONE_CARRIER) options.addAll(List.of("--jvm", option));
        ProcessOutcome outcome =
                Command.program(way, 2, options, "Swarm", THREADS).run();
        check(outcome, way.isNative() ? "libmpi" : "shm");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void pollingThreadYields(Way way) throws Exception {
        way.require();
        List<String> options = new ArrayList<>(List.of("--timeout", "120"));
        for (String option : ONE_CARRIER) options.addAll(List.of("--jvm", option));
        ProcessOutcome outcome = Command.program(way, 2, options, "Polls").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
    }

    /// The two ranks run in one JVM.
    @Test
    void thousandsOfTwoRanksOnOneCarrier() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Checkout.java());
        command.addAll(ONE_CARRIER);
        String classPath = Checkout.classPathText() + File.pathSeparator + Checkout.PROGRAMS;
        command.addAll(List.of("-cp", classPath, "programs.Swarm", THREADS, "local"));
        check(Command.of(command).run(), "shm");
    }

    private static void check(ProcessOutcome outcome, String engine) {
        assertThat(outcome.code()).as("%s", outcome).isZero();
        String end = ": " + THREADS + " threads on 1 carrier, engine " + engine;
        assertThat(outcome.out().lines()).containsExactlyInAnyOrder("rank 0" + end, "rank 1" + end);
    }
}
