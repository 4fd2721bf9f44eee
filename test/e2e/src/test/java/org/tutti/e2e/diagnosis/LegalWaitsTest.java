package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Ranks wait for each other for a long time and then continue: no job is ended as a deadlock.
class LegalWaitsTest extends JobTest {
    private static final List<String> OPTIONS = List.of("--stall", "1", "--timeout", "300");

    /// The programs, each with the number of ranks.
    private static final Map<String, Integer> ALL =
            Map.of("operation", 2, "comparedFirst", 4, "forgotten", 3, "fromOutside", 3);

    @Test
    @Tag("ci")
    void slowPiecewiseCallsFinish() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 4, OPTIONS, "LegalWaits", "inPieces").run();
        assertThat(ended.code()).as("%s", ended).isZero();
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void legalWaitsFinish(Way way) throws Exception {
        way.require();
        Map<String, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        ALL.forEach((program, ranks) ->
                jobs.put(program, Command.program(way, ranks, OPTIONS, "LegalWaits", program)::run));
        Map<String, ProcessOutcome> results = runAll(1, jobs);
        SoftAssertions all = new SoftAssertions();
        results.forEach((program, ended) ->
                all.assertThat(ended.code()).as("%s: %s", program, ended).isZero());
        all.assertAll();
    }
}
