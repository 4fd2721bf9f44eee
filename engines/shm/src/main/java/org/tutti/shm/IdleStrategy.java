package org.tutti.shm;

/// How a waiter passes the time between two looks: it spins for a while, then yields, then should sleep. Chosen by
/// how many ranks share the machine's cores.
///
///     for (int round = 0; !there(); round++) if (idle.pause(round, pace)) sleepUntilWokenFor(aWhile);
///
/// Where ranks outnumber cores, to spin is to keep the one that is waited for from its core, and a yield
/// is the cheapest way to hand it over. With a core for each rank the two are chosen by what they have cost,
/// see [Pace].
public final class IdleStrategy {
    private static final int YIELDS = 200, FIRST_ROUNDS = 100;

    /// Leaves the core to others at once: for ranks that share theirs.
    private static final IdleStrategy SHARING = new IdleStrategy(0, YIELDS);

    /// The same for threads that wait for work, since their own process may have some. How often they yield is
    /// chosen by whether work came meanwhile.
    static final IdleStrategy FOR_WORK = new IdleStrategy(0, YIELDS);

    private final int spins;
    private final int looks;
    private final boolean adapts;

    /// Spins for so many rounds, then yields for so many, then sleeps.
    public IdleStrategy(int spins, int yields) {
        this(spins, yields, false);
    }

    private IdleStrategy(int spins, int yields, boolean adapts) {
        this.spins = spins;
        this.looks = spins + yields;
        this.adapts = adapts;
    }

    /// For a rank that shares `cores` cores with `localRanks - 1` others.
    public static IdleStrategy of(int localRanks, int cores) {
        return localRanks <= cores ? new IdleStrategy(Integer.MAX_VALUE, 0, true) : SHARING;
    }

    /// What earlier waits of one waiter have cost, and how long it spins and yields therefore. Each waiter
    /// has one, and uses it again.
    ///
    /// A yield is cheap unless something else runs on the core, a busy process or the JVM's own compiler. To
    /// that it gives milliseconds, and the two ranks of a message then miss each other again and again. So for
    /// some milliseconds after a yield that was dear waits sleep instead. Not always: two ranks that sleep and
    /// wake each other are soon put on one core, and stay there, for only one of them ever wants to run.
    ///
    /// Two ranks that are on one core keep each other from their answers while they spin. So waits hardly spin once
    /// some have done so in vain; ever fewer of them, but at least one of [#PROBE], see whether it pays again.
    public static final class Pace {
        private static final long SPIN_NANOS = 100_000, DEAR_NANOS = 500_000, REST_NANOS = 5_000_000;

        /// A prime: of waits that are long and short by turns the same ones would else be looked at again and again.
        private static final int PROBE = 1021;

        private static final int MOST_YIELDS = 1000, FEWEST_FOR_WORK = 8, PROBE_FOR_WORK = 16;

        /// Between two looks at the clock.
        private static final int CLOCK_ROUNDS = 16;

        private boolean isSpunOut;
        private long sinceNanos;
        private long spinNanos;

        /// Waits before this one that spun in vain, in a row.
        private int inVain;

        /// Yields of this wait.
        private int yields;

        /// Whether a yield was dear lately, and until when there are none.
        private boolean rests;

        private long restUntilNanos;

        /// How often this wait for work yields, whether its last pause was to sleep, and how many waits before it have
        /// come to that, in a row.
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

        /// To be called in each round from 0 on. A round in the interpreter takes a hundred times as long as
        /// others, so the clock decides.
        private boolean spins(int round) {
            if (round == 0) begin();
            if (isSpunOut || round % CLOCK_ROUNDS != CLOCK_ROUNDS - 1) return !isSpunOut;
            long now = System.nanoTime();
            if (round < CLOCK_ROUNDS) sinceNanos = now;
            isSpunOut = now - sinceNanos > spinNanos;
            return !isSpunOut;
        }

        /// False when the waiter should sleep.
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

        /// False when who waits for work should sleep. Where it comes once in milliseconds, to yield until then takes
        /// more of a processor than the work; so each wait that had to sleep halves the next one's yields, but
        /// once in [#PROBE_FOR_WORK].
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

    /// How often to look for what mostly comes in a moment, before a wait begins.
    int firstRounds() {
        return adapts ? FIRST_ROUNDS : 1;
    }

    /// Whether a waiter still spins in this round; to be asked in each from 0 on.
    public boolean spins(int round, Pace pace) {
        return adapts ? pace.spins(round) : round < spins;
    }

    /// Passes a moment of a platform thread, the `round`-th of this wait; true when it should sleep instead.
    public boolean pause(int round, Pace pace) {
        if (spins(round, pace)) {
            Thread.onSpinWait();
            return false;
        }
        if (adapts) return !pace.yields();
        if (this == FOR_WORK) return !pace.yieldsForWork(round);
        if (round < looks) {
            Thread.yield();
            return false;
        }
        return true;
    }
}
