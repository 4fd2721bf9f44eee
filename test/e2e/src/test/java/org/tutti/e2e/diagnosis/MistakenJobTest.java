package org.tutti.e2e.diagnosis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import org.tutti.e2e.local.MistakenTest;
import programs.Mistaken;
import programs.Mistaken.Category;
import programs.Mistaken.Mistake;

/// Runs the programs of `MistakenTest` as processes, on shared memory and over the two libraries. `-Pci` runs
/// one program of each category on shared memory, `-Pfull` two programs of each mistake on every engine.
/// `-Dtutti.mistaken.seed=N` sets the first seed.
@Tag("ci")
class MistakenJobTest extends JobTest {
    private static final long SEED = Long.getLong("tutti.mistaken.seed", 1);
    private static final int AT_ONCE = 2;
    private static final List<String> OPTIONS = List.of("--timeout", "300");

    private static List<Mistake> mistakes() {
        if (Tier.FULL) return List.of(Mistake.values());
        return List.of(
                Mistake.NO_SUCH_RANK, Mistake.OTHER_ROOT, Mistake.TOO_LONG, Mistake.WRONG_TAG, Mistake.NEVER_AWAITED);
    }

    /// @param twin whether the program runs without the mistake
    private record Run(Mistake mistake, long seed, boolean twin) {
        Callable<ProcessOutcome> job(Way way) {
            int ranks = Mistaken.of(seed, mistake).ranks();
            String from = Long.toString(seed), name = mistake.name();
            return (twin
                            ? Command.program(way, ranks, OPTIONS, "Mistaken", from, name, "twin")
                            : Command.program(way, ranks, OPTIONS, "Mistaken", from, name))::run;
        }
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void mistakesAreReportedAndTwinsAreSilent(Way way) throws Exception {
        way.require();
        Map<Run, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        for (Mistake mistake : mistakes()) {
            for (long seed = SEED; seed < SEED + (Tier.FULL ? 2 : 1); seed++) {
                for (boolean twin : new boolean[] {false, true}) {
                    Run run = new Run(mistake, seed, twin);
                    jobs.put(run, run.job(way));
                }
            }
        }
        SoftAssertions all = new SoftAssertions();
        runAll(AT_ONCE, jobs).forEach((run, ended) -> {
            if (run.twin) {
                all.assertThat(ended.code()).as("%s: %s", run, ended).isZero();
                // on a busy machine, a rank may be reported as late in init
                all.assertThat(ended.err().lines().filter(line -> !line.startsWith("tutti: init: rank ")))
                        .as("%s: %s", run, ended)
                        .isEmpty();
                return;
            }
            int rank = Mistaken.of(run.seed, run.mistake).rank();
            all.assertThat(ended.err())
                    .as("%s, rank %s: %s", run, rank, ended)
                    .containsPattern(MistakenTest.expectedReport(run.mistake, rank));
            if (run.mistake.category != Category.LIFE_CYCLE) {
                all.assertThat(ended.code()).as("%s: %s", run, ended).isEqualTo(1);
            }
        });
        all.assertAll();
    }
}
