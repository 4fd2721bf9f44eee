package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// A correct but slow program, in which ranks wait longer than `--stall` allows, is never ended, even if a
/// signal stops a rank for a while. Runs for ten minutes on all engines at the same time; [StallTest] runs such
/// programs for seconds.
@Tag("full")
class SlowTest extends JobTest {
    private static final long SECONDS = 600, MORE_SECONDS = 120;
    private static final long STOPPED_MILLIS = 6_000;
    private static final int RANKS = 3;

    @Test
    void slowProgramsAreNotDeadlocks() throws Exception {
        Map<Way, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        for (Way way : Way.values()) if (way.isHere()) jobs.put(way, () -> slow(way));
        runAll(jobs.size(), jobs).forEach((way, ended) -> {
            assertThat(ended.code()).as("%s: %s", way, ended).isZero();
            assertThat(ended.err())
                    .as("%s: %s", way, ended)
                    .contains("tutti: stall: ")
                    .doesNotContain("deadlock");
        });
    }

    private static ProcessOutcome slow(Way way) throws Exception {
        Child job = Command.program(way, RANKS, List.of("--stall", "1"), "Slow", "" + SECONDS)
                .start();
        long stopped = job.awaitReady(RANKS).get(1);
        Processes.signal("STOP", stopped);
        job.awaitErr("tutti: stall: ");
        Thread.sleep(STOPPED_MILLIS);
        Processes.signal("CONT", stopped);
        return job.await(SECONDS + MORE_SECONDS);
    }
}
