package org.tutti.spi;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/// How a waiter passes the time between two looks: it spins for a while, may yield, then should sleep. Chosen by how
/// many ranks share the machine's cores; a virtual thread only parks, because its carrier may be the one the sender
/// needs.
///
///     for (int round = 0; !there(); round++) if (idle.pause(round, spin)) sleepUntilWokenFor(aWhile);
///
/// With a core for each rank it spins about as long as it takes to sleep and be woken, and never yields: where
/// something else runs on the core as well, the JVM's own compiler for instance, a yield gives it milliseconds, and the
/// two ranks of a message then miss each other again and again. Where ranks outnumber cores, to spin is to keep the one
/// that is waited for from its core; a yield is the cheapest way to hand it over.
public final class IdleStrategy {
    private static final long VIRTUAL_PARK_NANOS = 20_000;
    private static final int YIELDS_PER_PARK = 32;

    private static final int MOST_SPINS = 10_000;

    /// Between two looks at the clock.
    private static final int CLOCK_ROUNDS = 64;

    private static final long SPIN_NANOS = 100_000, SHORTEST_SPIN_NANOS = 2_000;
    private static final int PROBE = 16;

    private final int spins;
    private final int looks;
    private final boolean timed;

    /// Spins for so many rounds, then yields for so many, then sleeps.
    public IdleStrategy(int spins, int yields) {
        this(spins, yields, false);
    }

    private IdleStrategy(int spins, int yields, boolean timed) {
        this.spins = spins;
        this.looks = spins + yields;
        this.timed = timed;
    }

    /// For a rank that shares `cores` cores with `localRanks - 1` others.
    public static IdleStrategy of(int localRanks, int cores) {
        return localRanks <= cores ? new IdleStrategy(MOST_SPINS, 0, true) : new IdleStrategy(0, 200);
    }

    /// How long one wait spins. Each waiter has one, and uses it again.
    ///
    /// After a wait that spun in vain the next one spins half as long, so two ranks that the system has put on
    /// one core soon hand it over at once. One in [#PROBE] spins as long as any, or two ranks that each sleep
    /// until the other one wakes them would do so for ever.
    public static final class Spin {
        private boolean isOver;
        private long sinceNanos;
        private long limitNanos = SPIN_NANOS;
        private int inVain;

        /// To be called in each round from 0 on. A round in the interpreter takes a hundred times as long as
        /// others, so the clock decides.
        private boolean goesOn(int round) {
            if (round == 0) begin();
            if (isOver || round % CLOCK_ROUNDS != CLOCK_ROUNDS - 1) return !isOver;
            long now = System.nanoTime();
            if (round < CLOCK_ROUNDS) sinceNanos = now;
            isOver = now - sinceNanos > limitNanos;
            return !isOver;
        }

        private void begin() {
            inVain = isOver ? inVain + 1 : 0;
            limitNanos = inVain % PROBE == 0 ? SPIN_NANOS : Math.max(limitNanos / 2, SHORTEST_SPIN_NANOS);
            isOver = false;
        }
    }

    /// For how many rounds a waiter spins at most. Who looks at something slower than memory need not pause between
    /// them.
    public int spins() {
        return spins;
    }

    /// Whether a waiter still spins in this round.
    public boolean spins(int round, Spin spin) {
        return round < spins && (!timed || spin.goesOn(round));
    }

    /// After a test that found nothing. A virtual thread lets others run on its carrier: also, now and then, those
    /// that were woken from outside, which a yield alone does not.
    public static void afterVainTest() {
        if (!Thread.currentThread().isVirtual()) return;
        if (ThreadLocalRandom.current().nextInt(YIELDS_PER_PARK) == 0) LockSupport.parkNanos(1);
        else Thread.yield();
    }

    /// Passes a moment, the `round`-th of this wait; true when the waiter should sleep instead.
    public boolean pause(int round, Spin spin) {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(VIRTUAL_PARK_NANOS);
            return false;
        }
        if (spins(round, spin)) {
            Thread.onSpinWait();
            return false;
        }
        if (round < looks && round >= spins) {
            Thread.yield();
            return false;
        }
        return true;
    }
}
