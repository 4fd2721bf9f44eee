package org.tutti.shm;

/// The pauses of a waiting thread between two polls: first spin, then yield, then sleep. The choice depends on
/// the number of ranks that share the machine's cores.
///
///     for (int round = 0; !there(); round++) if (idle.pause(round, pace)) sleepUntilWokenFor(aWhile);
///
/// If there are more ranks than cores, spinning prevents the awaited rank from running, and a yield is the
/// cheapest way to release the core. With a core per rank, the choice depends on measured costs, see [Pace].
public final class IdleStrategy {
    private static final int YIELDS = 200, FIRST_ROUNDS = 100;

    /// Releases the core immediately: for ranks that share cores.
    private static final IdleStrategy SHARING = new IdleStrategy(0, YIELDS);

    /// For threads that wait for work: like [#SHARING], since the same process may have work for the core. The
    /// number of yields depends on whether work arrived during earlier ones.
    static final IdleStrategy FOR_WORK = new IdleStrategy(0, YIELDS);

    private final int spins;
    private final int rounds;
    private final boolean adapts;

    /// Spins for `spins` rounds, then yields for `yields` rounds, then sleeps.
    public IdleStrategy(int spins, int yields) {
        this(spins, yields, false);
    }

    private IdleStrategy(int spins, int yields, boolean adapts) {
        this.spins = spins;
        this.rounds = spins + yields;
        this.adapts = adapts;
    }

    /// For a rank that shares `cores` cores with `localRanks - 1` other ranks.
    public static IdleStrategy of(int localRanks, int cores) {
        return localRanks <= cores ? new IdleStrategy(Integer.MAX_VALUE, 0, true) : SHARING;
    }

    /// The costs of earlier waits of a thread, and the spins and yields of the next wait. Each waiting thread
    /// has one, and reuses it.
    ///
    /// A yield is cheap unless the core is requested elsewhere, by a busy process, or the JVM's compiler. It
    /// then costs milliseconds, and two ranks that exchange messages miss each other repeatedly. Therefore
    /// waits sleep instead for some milliseconds after an expensive yield. Not always, however: the system soon
    /// puts two ranks that sleep and wake each other on one core, and leaves both there, because only one is
    /// runnable at a time.
    ///
    /// Two spinning ranks on one core delay each other's answers. After unsuccessful spins, waits therefore
    /// hardly spin. Fewer and fewer waits, but at least one in [#PROBE], test whether spinning pays again.
    public static final class Pace {
        private static final long SPIN_NANOS = 100_000, DEAR_NANOS = 500_000, REST_NANOS = 5_000_000;

        /// A prime: otherwise, alternating long and short waits would always probe the same ones.
        private static final int PROBE = 1021;

        private static final int MOST_YIELDS = 1000, FEWEST_FOR_WORK = 8, PROBE_FOR_WORK = 16;

        /// Rounds between two readings of the clock.
        private static final int CLOCK_ROUNDS = 16;

        private boolean isSpunOut;
        private long sinceNanos;
        private long spinNanos;

        /// Number of consecutive earlier waits that spun unsuccessfully.
        private int inVain;

        /// Yields of this wait.
        private int yields;

        /// Whether a yield was expensive recently, and the end of the time without yields.
        private boolean rests;

        private long restUntilNanos;

        /// Yields of this wait for work, whether the last pause was a sleep, and the number of consecutive
        /// earlier waits that slept.
        private int yieldsForWork = YIELDS;

        private boolean hasSlept;
        private int sleepers;

        private void begin() {
            inVain = isSpunOut ? inVain + 1 : 0;
            boolean isPowerOfTwo = (inVain & inVain - 1) == 0;
            spinNanos = isPowerOfTwo || inVain % PROBE == 0 ? SPIN_NANOS : 0;
            isSpunOut = false;
            yields = 0;
        }

        /// Called in each round, starting at 0. Uses the clock, since a round in the interpreter is a hundred
        /// times slower than a compiled one.
        private boolean spins(int round) {
            if (round == 0) begin();
            if (isSpunOut || round % CLOCK_ROUNDS != CLOCK_ROUNDS - 1) return !isSpunOut;
            long now = System.nanoTime();
            if (round < CLOCK_ROUNDS) sinceNanos = now;
            isSpunOut = now - sinceNanos > spinNanos;
            return !isSpunOut;
        }

        /// False when the thread should sleep.
        private boolean yields() {
            if (yields == MOST_YIELDS) return false;
            long before = System.nanoTime();
            if (rests && before - restUntilNanos < 0) return false;
            rests = false;
            yields++;
            Thread.yield();
            long now = System.nanoTime();
            if (now - before > DEAR_NANOS) {
                rests = true;
                restUntilNanos = now + REST_NANOS;
            }
            return true;
        }

        /// False when a thread that waits for work should sleep. If work arrives once in milliseconds, yielding
        /// in between uses more CPU time than the work. Therefore each wait that slept halves the yields of the
        /// next one, except for one wait in [#PROBE_FOR_WORK].
        private boolean yieldsForWork(int round) {
            if (round == 0) {
                sleepers = hasSlept ? sleepers + 1 : 0;
                yieldsForWork = sleepers % PROBE_FOR_WORK == 0 ? YIELDS : Math.max(yieldsForWork / 2, FEWEST_FOR_WORK);
            }
            hasSlept = round >= yieldsForWork;
            if (!hasSlept) Thread.yield();
            return !hasSlept;
        }
    }

    /// Returns the number of polls before a wait begins, for data that usually arrives within moments.
    int firstRounds() {
        return adapts ? FIRST_ROUNDS : 1;
    }

    /// Returns whether the thread still spins in this round; called in each round, starting at 0.
    public boolean spins(int round, Pace pace) {
        return adapts ? pace.spins(round) : round < spins;
    }

    /// Pauses a platform thread in round `round` of a wait; true when it should sleep instead.
    public boolean pause(int round, Pace pace) {
        if (spins(round, pace)) {
            Thread.onSpinWait();
            return false;
        }
        if (adapts) return !pace.yields();
        if (this == FOR_WORK) return !pace.yieldsForWork(round);
        if (round < rounds) {
            Thread.yield();
            return false;
        }
        return true;
    }
}
