package org.tutti.spi;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/// How a waiter passes the time between two looks: it spins a little, then yields, then should sleep. Chosen by
/// how many ranks share the machine's cores; a virtual thread only parks, because its carrier may be the one the
/// sender needs.
///
///     for (int round = 0; !there(); round++) if (idle.pause(round)) sleepUntilWokenFor(aWhile);
public final class IdleStrategy {
    private static final long VIRTUAL_PARK_NANOS = 20_000;

    private static final int YIELDS_PER_PARK = 32;

    private final int spins;
    private final int looks;

    /// Spins for so many rounds, then yields for so many, then sleeps.
    public IdleStrategy(int spins, int yields) {
        this.spins = spins;
        this.looks = spins + yields;
    }

    /// For a rank that shares `cores` cores with `localRanks - 1` others. Where they are fewer than ranks, to spin
    /// is to keep the one that is waited for from its core.
    public static IdleStrategy of(int localRanks, int cores) {
        return localRanks <= cores ? new IdleStrategy(1_000, 1_000) : new IdleStrategy(0, 200);
    }

    /// For how many rounds a waiter spins. Who looks at something slower than memory need not pause between them.
    public int spins() {
        return spins;
    }

    /// After a test that found nothing. A virtual thread lets others run on its carrier: also, now and then, those
    /// that were woken from outside, which a yield alone does not.
    public static void afterVainTest() {
        if (!Thread.currentThread().isVirtual()) return;
        if (ThreadLocalRandom.current().nextInt(YIELDS_PER_PARK) == 0) LockSupport.parkNanos(1);
        else Thread.yield();
    }

    /// Passes a moment, the `round`-th of this wait; true when the waiter should sleep instead.
    public boolean pause(int round) {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(VIRTUAL_PARK_NANOS);
            return false;
        }
        if (round < spins) {
            Thread.onSpinWait();
            return false;
        }
        if (round < looks) {
            Thread.yield();
            return false;
        }
        return true;
    }
}
