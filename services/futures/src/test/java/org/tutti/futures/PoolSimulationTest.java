package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every task has exactly one correct outcome and no map hangs, for any order of answers, refusals, deaths and
/// cancellations; see [PoolSimulation]. `-Dtutti.pool.first=N` sets the first seed and
/// `-Dtutti.pool.schedules=N` the number of schedules.
@Timeout(value = 3600)
class PoolSimulationTest {
    private static final long FIRST = Long.getLong("tutti.pool.first", 1);
    private static final long SCHEDULES = Long.getLong("tutti.pool.schedules", schedules());

    private static long schedules() {
        if (Boolean.getBoolean("tutti.full")) return 500_000;
        return Boolean.getBoolean("tutti.ci") ? 20_000 : 1_000;
    }

    @Test
    void everyTaskHasItsOutcomeUnderEverySchedule() throws InterruptedException {
        for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
            try {
                new PoolSimulation(seed).run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "schedule " + seed + " failed; again: ./mvnw test -pl :tutti-futures -am"
                                + " -Dtest=PoolSimulationTest -Dsurefire.failIfNoSpecifiedTests=false -Dtutti.pool.first="
                                + seed + " -Dtutti.pool.schedules=1",
                        e);
            }
        }
    }

    @Test
    void aSeedIsOneSchedule() throws InterruptedException {
        for (long seed = 1; seed <= 30; seed++) {
            assertThat(new PoolSimulation(seed).run()).isEqualTo(new PoolSimulation(seed).run());
        }
    }

    /// Regressions found by the schedules above: a batch that was returned while the pool was closing, and a
    /// task that ended twice because the worker died between PART and DONE.
    @ParameterizedTest
    @ValueSource(longs = {219, 7_487})
    void schedulesThatHaveFailedDoNotFailAgain(long seed) throws InterruptedException {
        assertThat(new PoolSimulation(seed).run()).isNotEmpty();
    }
}
