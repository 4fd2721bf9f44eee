package programs;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A random legal program with one mistake, because of which the program hangs or fails before the end. The
/// seed determines the plan, so that the ranks and the test have the same steps and the same culprit.
///
/// @param culprit the rank with the mistake
/// @param at the index of the wrong step
public record PlantedPlan(int ranks, List<Step> steps, int culprit, int at, Mistake mistake) {
    private static final int FEWEST_STEPS = 6, MOST_STEPS = 16, MOST_RANKS = 5;

    /// The kind of a step. Each kind has separate calls in [Planted], in lines that end with the name of the
    /// kind.
    public enum Kind {
        SEND,
        LARGE,
        SSEND,
        OBJECT,
        PROBE,
        NONBLOCKING,
        RING,
        ANY_SOURCE,
        BARRIER,
        BCAST,
        REDUCE,
        ALLREDUCE,
        GATHER,
        SCATTER,
        ALLGATHER,
        ALLTOALL,
        SCAN,
        IBARRIER,
        IALLREDUCE;

        /// Returns whether the step is a message between two ranks.
        public boolean isMessage() {
            return compareTo(NONBLOCKING) <= 0;
        }

        /// Returns whether all ranks must have entered the step before any rank returns from it.
        boolean isSynchronizing() {
            return this == BARRIER || this == ALLREDUCE || this == ALLGATHER || this == ALLTOALL || isBackground();
        }

        boolean isCollective() {
            return compareTo(BARRIER) >= 0;
        }

        private boolean isBackground() {
            return this == IBARRIER || this == IALLREDUCE;
        }
    }

    /// The communicators: all ranks, a duplicate, and the ranks of the same parity.
    public enum Place {
        WORLD,
        COPY,
        HALF
    }

    /// @param root the root, or the source of a message
    /// @param dest the destination of a message
    public record Step(int number, Kind kind, Place place, int root, int dest) {
        int tag() {
            return 10 * number;
        }

        /// Returns whether `rank` has a call in the step.
        boolean has(int rank) {
            return !kind.isMessage() || rank == root || rank == dest;
        }
    }

    /// The mistake of the culprit in the wrong step.
    public enum Mistake {
        /// Omits the step.
        SKIP,
        SLEEP,
        LOOP,
        /// Calls a different collective operation of the same communicator.
        OTHER_CALL,
        WRONG_TAG,
        WRONG_PEER,
        /// Executes the next step first. All ranks synchronize in each of the two steps.
        OTHER_ORDER
    }

    public static PlantedPlan of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int ranks = random.nextInt(2, MOST_RANKS + 1);
        int count = random.nextInt(FEWEST_STEPS, MOST_STEPS + 1);
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            Place place = Place.values()[random.nextInt(kind.isCollective() ? 3 : 2)];
            int root = place == Place.HALF ? 0 : random.nextInt(ranks);
            steps.add(new Step(i, kind, place, root, (root + random.nextInt(1, ranks)) % ranks));
        }
        while (true) {
            Mistake mistake = Mistake.values()[random.nextInt(Mistake.values().length)];
            PlantedPlan plan = new PlantedPlan(ranks, steps, random.nextInt(ranks), random.nextInt(1, count), mistake);
            if (plan.isMistake()) return plan;
        }
    }

    /// Returns the wrong step.
    public Step wrong() {
        return steps.get(at);
    }

    /// Returns whether the culprit runs or sleeps forever. Otherwise the job ends, because the culprit waits
    /// for other ranks or reaches the end.
    public boolean mayRunForever() {
        return mistake == Mistake.SLEEP || mistake == Mistake.LOOP;
    }

    /// Returns the next step in which the culprit has a call, or null.
    public @Nullable Step instead() {
        return IntStream.range(at + 1, steps.size())
                .mapToObj(steps::get)
                .filter(step -> step.has(culprit))
                .findFirst()
                .orElse(null);
    }

    /// Returns whether the mistake makes a rank wait forever or get wrong data.
    private boolean isMistake() {
        Step step = wrong();
        if (!step.has(culprit) || hasOneRank(step)) return false;
        Kind kind = step.kind();
        return switch (mistake) {
            case SKIP -> isAwaited(step);
            case SLEEP, LOOP, OTHER_CALL -> true;
            case WRONG_TAG -> kind.isMessage();
            case WRONG_PEER -> kind.isMessage() && ranks > 2;
            case OTHER_ORDER -> {
                if (at + 1 == steps.size()) yield false;
                Step next = steps.get(at + 1);
                yield kind.isSynchronizing()
                        && next.kind().isSynchronizing()
                        && !hasOneRank(next)
                        && (next.kind() != kind || next.place() != step.place());
            }
        };
    }

    /// Returns whether a different rank waits for the culprit's action in `step`. If no rank waits for this
    /// action, the program does not hang, but fails at the end.
    private boolean isAwaited(Step step) {
        boolean isRoot = rankIn(step) == step.root();
        return switch (step.kind()) {
            case SEND, OBJECT, PROBE, NONBLOCKING, BCAST, SCATTER -> isRoot;
            case ANY_SOURCE, REDUCE, GATHER -> !isRoot;
            case SCAN -> rankIn(step) < sizeIn(step) - 1;
            case LARGE, SSEND, RING, BARRIER, ALLREDUCE, ALLGATHER, ALLTOALL, IBARRIER, IALLREDUCE -> true;
        };
    }

    private int rankIn(Step step) {
        return step.place() == Place.HALF ? culprit / 2 : culprit;
    }

    private int sizeIn(Step step) {
        return step.place() == Place.HALF ? (ranks + 1 - culprit % 2) / 2 : ranks;
    }

    /// Returns whether the step has only one rank, because a half may consist of one rank.
    private boolean hasOneRank(Step step) {
        return sizeIn(step) < 2;
    }
}
