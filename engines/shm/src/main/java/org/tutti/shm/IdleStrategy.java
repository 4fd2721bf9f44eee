package org.tutti.shm;

/// The pauses of a waiting thread between two polls: first spin, then yield, then sleep. The choice depends on
/// the number of ranks that share the machine's cores.
///
///     for (int round = 0; !there(); round++) if (idle.pause(round, pace)) sleepUntilWokenFor(aWhile);
///
/// If there are more ranks than cores, spinning prevents the awaited rank from running, and a yield is the
/// cheapest way to release the core. If each rank has a core, the choice depends on measured costs, see [Pace].
public final class IdleStrategy {
    private static final int YIELDS = 200, FIRST_ROUNDS = 100;

    /// The strategy of ranks that share cores: it releases the core immediately.
    private static final IdleStrategy SHARING = new IdleStrategy(0, YIELDS);

    /// The strategy of threads that wait for work. As in [#SHARING], they do not spin, because other threads of
    /// the process may need the core. In addition, the number of yields depends on whether work arrived during
    /// the yields of earlier waits.
    static final IdleStrategy FOR_WORK = new IdleStrategy(0, YIELDS);

    private final int spins;
    private final int rounds;
    private final boolean adapts;

    /// Creates a strategy that spins for `spins` rounds, then yields for `yields` rounds, then sleeps.
    public IdleStrategy(int spins, int yields) {
        this(spins, yields, false);
    }

    private IdleStrategy(int spins, int yields, boolean adapts) {
        this.spins = spins;
        this.rounds = spins + yields;
        this.adapts = adapts;
    }

    /// Returns the strategy of a rank that shares `cores` cores with `localRanks - 1` other ranks.
    public static IdleStrategy of(int localRanks, int cores) {
        return localRanks <= cores ? new IdleStrategy(Integer.MAX_VALUE, 0, true) : SHARING;
    }

    /// The costs of earlier waits of a thread, and the spins and yields of the next wait. Each waiting thread
    /// has one, and reuses it.
    ///
    /// A yield is cheap unless another thread needs the core: a thread of a busy process, or of the JVM's
    /// compiler. The yield then costs milliseconds, and two ranks that exchange messages miss each other
    /// repeatedly. Therefore, for some milliseconds after an expensive yield, waits sleep instead of yielding.
    /// Waits do not always sleep, because the system soon moves two ranks to the same core if they sleep and
    /// wake each other. The system leaves both ranks there, because only one of the two is runnable at a time.
    ///
    /// Two spinning ranks on one core delay each other's answers. After unsuccessful spins, waits therefore
    /// hardly spin. Only some waits, at increasing intervals, but at least one in [#PROBE], test whether
    /// spinning has become successful again.
    public static final class Pace {
        private static final long SPIN_NANOS = 100_000, DEAR_NANOS = 500_000, REST_NANOS = 5_000_000;

        /// The maximum number of waits between two tests of spinning. A prime number: if long and short waits
        /// alternate, the tests would otherwise always be in waits of the same kind.
        private static final int PROBE = 1021;

        private static final int MOST_YIELDS = 1000, FEWEST_FOR_WORK = 8, PROBE_FOR_WORK = 16;

        /// The number of rounds between two readings of the clock.
        private static final int CLOCK_ROUNDS = 16;

        private boolean isSpunOut;
        private long sinceNanos;
        private long spinNanos;

        /// The number of consecutive earlier waits that spun unsuccessfully.
        private int inVain;

        /// The number of yields of this wait.
        private int yields;

        /// Whether a recent yield was expensive; `restUntilNanos` is the end of the time without yields.
        private boolean rests;

        private long restUntilNanos;

        /// The maximum number of yields of this wait for work. The next two fields state whether the last pause
        /// was a sleep, and how many consecutive earlier waits slept.
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

        /// Returns whether to spin in this round. Called in each round, starting at 0. Uses the clock, because
        /// a round in the interpreter is a hundred times slower than a compiled round.
        private boolean spins(int round) {
            if (round == 0) begin();
            if (isSpunOut || round % CLOCK_ROUNDS != CLOCK_ROUNDS - 1) return !isSpunOut;
            long now = System.nanoTime();
            if (round < CLOCK_ROUNDS) sinceNanos = now;
            isSpunOut = now - sinceNanos > spinNanos;
            return !isSpunOut;
        }

        /// Yields once, or returns false if the thread should sleep instead.
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

        /// Yields once in a wait for work, or returns false if the thread should sleep instead. If work arrives
        /// every few milliseconds, yielding in between uses more CPU time than the work. After a wait that
        /// slept, the next wait therefore has half as many yields, but at least [#FEWEST_FOR_WORK]. In a series
        /// of waits that sleep, every [#PROBE_FOR_WORK]th wait has the maximum number of yields again.
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

    /// Returns the maximum number of polls on a short path, before a wait begins. The data of a short path
    /// usually arrives almost immediately.
    int firstRounds() {
        return adapts ? FIRST_ROUNDS : 1;
    }

    /// Returns whether the thread still spins in this round. Called in each round, starting at 0.
    public boolean spins(int round, Pace pace) {
        return adapts ? pace.spins(round) : round < spins;
    }

    /// Pauses a platform thread in round `round` of a wait. Returns true if the thread should sleep instead.
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
