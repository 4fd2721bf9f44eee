package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// After SIGKILL of any process of a job at any time, no process and no file of the job remains.
///
/// The test prints the seed. `-Dtutti.e2e.seed=N` repeats a run, as far as timing can be repeated.
@Tag("ci")
class RandomKillTest extends JobTest {
    private static final int KILLS = Tier.FULL ? 200 : 4;
    private static final int AT_ONCE = 4;
    private static final int KILLS_PER_LIBRARY = Tier.FULL ? 3 : 1;

    private final long seed = Long.getLong("tutti.e2e.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void noResidueAfterManyKills() throws Exception {
        System.out.println("random kills: -Dtutti.e2e.seed=" + seed);
        for (int killed = 0; killed < KILLS; killed += AT_ONCE) {
            List<Child> jobs = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                jobs.add(Command.program(Way.SHM, 2 + i % 2, List.of(), "Waits", "exchange")
                        .start());
            }
            List<Thread> killers = new ArrayList<>();
            for (Child job : jobs) {
                int pause = random.nextInt(1500);
                int victim = random.nextInt(1000);
                killers.add(Thread.ofVirtual().start(() -> kill(job, pause, victim)));
            }
            for (Thread killer : killers) killer.join();
            for (Child job : jobs) {
                int code = job.awaitCode();
                // the kill may have hit the JDK's spawn helper, which starts the rank; then the launcher could
                // not start the rank
                boolean unborn = code == 1 && job.errSoFar().contains("pawn helper");
                if (unborn) continue;
                assertThat(code).as("%s%n%s", job.outSoFar(), job.errSoFar()).isEqualTo(137);
            }
            assertNothingIsLeft();
        }
    }

    /// Kills the launcher, a rank, or any other process of the job at that time.
    private static void kill(Child job, int pauseMillis, int victim) {
        try {
            Thread.sleep(pauseMillis);
            List<Long> family = new ArrayList<>(List.of(job.pid()));
            ProcessHandle.of(job.pid()).ifPresent(p -> p.descendants().forEach(d -> family.add(d.pid())));
            Processes.signal("KILL", family.get(victim % family.size()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    void noResidueAfterKillsOverLibrary(Way way) throws Exception {
        System.out.println("random kills over " + way + ": -Dtutti.e2e.seed=" + seed);
        for (int i = 0; i < KILLS_PER_LIBRARY; i++) {
            Child job = Command.program(way, 2, List.of(), "Waits", "exchange").start();
            List<Long> family = new ArrayList<>(job.awaitReady(2).values());
            family.add(job.pid());
            Thread.sleep(random.nextInt(500));
            Processes.signal("KILL", family.get(random.nextInt(family.size())));
            assertThat(job.awaitCode())
                    .as("%s%n%s", job.outSoFar(), job.errSoFar())
                    .isEqualTo(137);
            assertNothingIsLeft();
        }
    }
}
