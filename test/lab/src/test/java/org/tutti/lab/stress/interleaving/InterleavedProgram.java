package org.tutti.lab.stress.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.spi.Collective.Kind;

/// A small random program, correct according to the standard. It has one or several lanes. For each lane, every
/// rank has a thread, and all ranks execute the same steps. Lanes use separate communicators, so that threads
/// do not affect each other.
record InterleavedProgram(
        long seed, int ranks, List<List<Step>> lanes, int ringBytes, long mostUnreceived, int spins, int yields) {
    /// One step. The data consists of longs that depend on the number of the step, the rank and the index.
    sealed interface Step {
        /// A collective call on the newest communicator of the lane; without `blocking`, it remains active
        /// after the step.
        record Call(int number, Kind kind, int root, int count, boolean blocking) implements Step {}

        /// Each rank sends to the rank `shift` above and receives from the rank `shift` below; with `shared`,
        /// from the job's memory.
        record Ring(int number, int shift, int count, boolean synchronous, boolean shared, boolean blocking)
                implements Step {}

        /// Rank `from` sends `messages` messages, which rank `to` receives in order. The last message may be
        /// `synchronous`.
        record Stream(int number, int from, int to, int count, int messages, boolean synchronous) implements Step {}

        /// A cancelled receive.
        record Cancel(int number) implements Step {}

        /// All ranks send to the root, which receives with a wildcard, and if `probed` after a matched probe.
        record Gather(int number, int root, int count, boolean probed) implements Step {}

        /// All ranks access the memory of `target`, under locks and atomically, and then the memory of the next
        /// rank, `rounds` times.
        record Access(int number, int target, int rounds, boolean contiguous) implements Step {}

        /// Completes all active operations; `how` selects the form: await in order, await in reverse order,
        /// await any, or test.
        record Complete(int how) implements Step {}

        /// Creates a communicator for the following steps by dup, by idup, or by a split into two.
        record Make(How how) implements Step {}

        /// Closes the newest communicator, except the first of the lane. Active operations on it continue.
        record Close() implements Step {}
    }

    /// The calls that create a communicator.
    enum How {
        DUP,
        IDUP,
        SPLIT;

        private static final How[] ALL = values();
    }

    /// The range of step numbers for each lane.
    private static final int NUMBERS_OF_A_LANE = 1000;

    static final int MOST_NUMBERS = 2 * NUMBERS_OF_A_LANE;

    private static final Kind[] KINDS = {
        Kind.BARRIER, Kind.BCAST, Kind.REDUCE, Kind.ALLREDUCE, Kind.ALLGATHER, Kind.ALLTOALL, Kind.BCAST, Kind.REDUCE
    };

    static InterleavedProgram of(long seed) {
        SplittableRandom r = new SplittableRandom(seed);
        int ranks = 2 + (r.nextInt(4) == 0 ? 1 + r.nextInt(2) : 0);
        int lanes = 1 + r.nextInt(3) / 2;
        List<List<Step>> all = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) all.add(steps(r, ranks, NUMBERS_OF_A_LANE * lane));
        return new InterleavedProgram(
                seed, ranks, all, 2048 << r.nextInt(2), 256L << 2 * r.nextInt(6), r.nextInt(3), r.nextInt(3));
    }

    private static List<Step> steps(SplittableRandom r, int ranks, int numbers) {
        List<Step> steps = new ArrayList<>();
        int size = 3 + r.nextInt(10);
        // a program has a favourite kind, so that consecutive calls are often of this kind
        Kind favourite = KINDS[r.nextInt(KINDS.length)];
        int favour = r.nextInt(4);
        int made = 0;
        while (steps.size() < size) {
            int number = numbers + steps.size();
            switch (r.nextInt(11)) {
                case 0 -> {
                    int shift = 1 + r.nextInt(ranks - 1);
                    steps.add(
                            new Step.Ring(number, shift, count(r), r.nextBoolean(), r.nextBoolean(), r.nextBoolean()));
                }
                case 1 -> {
                    int from = r.nextInt(ranks);
                    int to = (from + 1 + r.nextInt(ranks - 1)) % ranks;
                    steps.add(new Step.Stream(number, from, to, count(r), 1 + r.nextInt(20), r.nextBoolean()));
                }
                case 2 -> steps.add(new Step.Gather(number, r.nextInt(ranks), count(r), r.nextBoolean()));
                case 3 -> steps.add(new Step.Complete(r.nextInt(4)));
                case 4 -> {
                    steps.add(new Step.Make(How.ALL[r.nextInt(How.ALL.length)]));
                    made++;
                }
                case 5 -> {
                    if (made == 0) continue;
                    steps.add(new Step.Close());
                    made--;
                }
                case 6 -> {
                    if (r.nextInt(4) == 0) steps.add(new Step.Cancel(number));
                    // more active calls than a rank has slots
                    for (int i = 0; i < 5 + r.nextInt(4); i++) {
                        Kind kind = r.nextInt(4) < favour ? favourite : KINDS[r.nextInt(KINDS.length)];
                        steps.add(new Step.Call(number + i, kind, r.nextInt(ranks), 1 + r.nextInt(3), false));
                    }
                }
                case 7 -> steps.add(new Step.Access(number, r.nextInt(ranks), 1 + r.nextInt(4), r.nextBoolean()));
                default -> {
                    Kind kind = r.nextInt(4) < favour ? favourite : KINDS[r.nextInt(KINDS.length)];
                    steps.add(
                            new Step.Call(number, kind, r.nextInt(2) * r.nextInt(ranks), count(r), r.nextInt(3) != 0));
                }
            }
        }
        return steps;
    }

    /// Returns a count, usually for data that fits into one line, and sometimes for data that requires
    /// rendezvous, exceeds a slot, or is sent in pieces.
    private static int count(SplittableRandom r) {
        return switch (r.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 20;
            case 2 -> 300;
            case 3 -> r.nextBoolean() ? 2100 : 1;
            default -> 1 + r.nextInt(3);
        };
    }

    /// Returns the value of rank `rank` at index `i` of step `number`.
    static long value(int number, int rank, int i) {
        return (number * 31L + rank + 1) * 1_000_003L + i;
    }
}
