package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdleStrategyTest {
    private static final int MANY = 1_000_000;

    private final IdleStrategy.Pace pace = new IdleStrategy.Pace();

    /// Returns the number of rounds before a wait should sleep.
    private int roundsAwake(IdleStrategy idle) {
        int round = 0;
        while (!idle.pause(round, pace)) round++;
        return round;
    }

    @Test
    void spinsAndYieldsAsConfigured() {
        assertThat(roundsAwake(new IdleStrategy(2, 3))).isEqualTo(5);
    }

    @Test
    void noRankSpinsWithMoreRanksThanCores() {
        IdleStrategy idle = IdleStrategy.of(3, 2);
        assertThat(idle.spins(0, pace)).isFalse();
        assertThat(roundsAwake(idle)).isEqualTo(200);
    }

    @Test
    void withACorePerRankEachWaitSpinsThenSleeps() {
        IdleStrategy idle = IdleStrategy.of(2, 2);
        for (int wait = 0; wait < 100; wait++) {
            assertThat(idle.spins(0, pace)).isTrue();
            assertThat(roundsAwake(idle)).isBetween(1, MANY);
        }
    }

    /// The maximum number of rounds of a wait that hardly spins: it sleeps as soon as the clock has advanced
    /// since the first reading.
    private static final int SHORT_SPIN = 200;

    private static final long LONG_SPIN_NANOS = 100_000;

    @Test
    void afterUnsuccessfulSpinsFewWaitsSpinLong() {
        IdleStrategy idle = IdleStrategy.of(2, 2);
        for (int wait = 0; wait < 20; wait++) {
            long before = System.nanoTime();
            int rounds = 0;
            while (idle.spins(rounds, pace)) rounds++;
            long nanos = System.nanoTime() - before;
            if (List.of(0, 1, 2, 4, 8, 16).contains(wait)) assertThat(nanos).isGreaterThanOrEqualTo(LONG_SPIN_NANOS);
            else assertThat(rounds).as("wait %d", wait).isLessThan(SHORT_SPIN);
        }
    }

    @Test
    void afterASuccessfulSpinTheNextWaitSpinsLong() {
        IdleStrategy idle = IdleStrategy.of(2, 2);
        for (int wait = 0; wait < 9; wait++) roundsAwake(idle);
        assertThat(idle.spins(0, pace)).isTrue();
        long before = System.nanoTime();
        for (int round = 0; idle.spins(round, pace); round++) Thread.onSpinWait();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(LONG_SPIN_NANOS);
    }

    /// A wait that continues after a sleep does not spin again.
    @Test
    void aWaitThatHasSleptDoesNotSpinAgain() {
        IdleStrategy idle = IdleStrategy.of(2, 2);
        int round = roundsAwake(idle);
        for (int again = 1; again <= 100; again++)
            assertThat(idle.spins(round + again, pace)).isFalse();
    }

    @Test
    void unsuccessfulWaitsForWorkYieldLess() {
        IdleStrategy idle = IdleStrategy.FOR_WORK;
        assertThat(IntStream.range(0, 18).map(wait -> roundsAwake(idle)))
                .containsExactly(200, 100, 50, 25, 12, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 200, 100);
        assertThat(idle.pause(0, pace)).as("yields, then work arrives").isFalse();
        assertThat(roundsAwake(idle)).isEqualTo(200);
    }
}
