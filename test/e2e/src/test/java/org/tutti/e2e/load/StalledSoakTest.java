package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.conformance.ContractMain;
import org.tutti.conformance.soak.StalledMain;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.RandomStops;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Ranks of correct programs are stopped and continued at random times, as on a busy machine or in a debugger.
/// The programs must end with the correct values and without a false report. The programs are random; a long
/// run also executes the contracts.
///
/// By default the test runs for seconds. `-Dtutti.stalled.minutes=60` runs the soak test, `-Dtutti.ways=SHM`
/// over one engine only. `-Dtutti.stalled.seed=N` selects other programs and times. The same seed repeats the
/// programs, and the times as far as timing can be repeated.
@Tag("ci")
class StalledSoakTest extends JobTest {
    private static final int MINUTES = Integer.getInteger("tutti.stalled.minutes", 0);
    private static final long SEED = Long.getLong("tutti.stalled.seed", System.nanoTime() & 0xffffff);
    private static final int JOB_SECONDS = MINUTES == 0 ? 2 : 20;

    /// Time limit for a busy machine with ranks that are stopped half of the time. Only a hang takes the full
    /// time.
    private static final long LIMIT_SECONDS = 1200;

    /// The time after which the launcher checks for a deadlock. Ranks are stopped for up to 4 s.
    private static final String STALL_SECONDS = "2";

    private static final Pattern WRONG = Pattern.compile("deadlock|does not match|has left");

    @ParameterizedTest
    @Ways
    @Tag("full")
    void stoppedRanksFinishCorrectly(Way way) throws Exception {
        way.require();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        List<String> failures = new ArrayList<>();
        int jobs = 0, stops = 0;
        do {
            long seed = SEED + 1_000_000L * jobs++;
            try {
                stops += job(way, seed);
                assertNothingIsLeft();
            } catch (AssertionError e) {
                String failure = "over " + way + ", -Dtutti.stalled.seed=" + seed + ": " + e.getMessage();
                System.out.println("stalled soak: " + failure);
                failures.add(failure);
            }
        } while (System.nanoTime() - end < 0);
        System.out.println("stalled soak over " + way + ", seed " + SEED + ": " + jobs + " jobs, ranks were stopped "
                + stops + " times, " + failures.size() + " failures");
        assertThat(failures).isEmpty();
        assertThat(stops).isPositive();
    }

    /// Runs a job, and returns how often ranks were stopped.
    private static int job(Way way, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        int ranks = random.nextInt(2, 5);
        boolean contract = MINUTES > 0 && random.nextInt(6) == 0;
        String main = (contract ? ContractMain.class : StalledMain.class).getName();
        List<String> arguments = new ArrayList<>(way.run(ranks));
        arguments.addAll(List.of("--stall", STALL_SECONDS, "--jvm", Command.RANKS_FLAG));
        arguments.addAll(List.of("-cp", Checkout.classes("tutti-conformance").toString()));
        arguments.add(main);
        arguments.addAll(contract ? List.of("--seed", "" + seed) : List.of("" + seed, "" + JOB_SECONDS));
        Child job = Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments)
                .start();
        int stopped;
        try (RandomStops stops = RandomStops.of(job, ranks, main, seed)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (job.isAlive() && System.nanoTime() - end < 0) TimeUnit.MILLISECONDS.sleep(50);
            stopped = stops.count();
        }
        // all ranks continue, so if the job still hangs, the stacks show where
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).containsAnyOf(StalledMain.DONE, "contracts done ");
        assertThat(outcome.err()).as("%s", outcome).doesNotContainPattern(WRONG);
        return stopped;
    }
}
