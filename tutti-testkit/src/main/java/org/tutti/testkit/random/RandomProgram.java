package org.tutti.testkit.random;

import java.util.SplittableRandom;
import org.tutti.mpi.Comm;
import org.tutti.mpi.OwnedComm;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Trial;

/// One program, as this rank runs it.
final class RandomProgram {
    private static final int STEPS = 10, INNER_STEPS = 4, DEEPEST = 2;

    /// What a step may be.
    private enum Kind {
        EXCHANGE,
        COLLECTIVE,
        OVERLAP,
        OBJECTS,
        PERSISTENT,
        SPLIT
    }

    private final Trial trial;
    private final long seed;
    private final SplittableRandom own;
    private String where = "its beginning";

    RandomProgram(Trial trial, long seed) {
        this.trial = trial;
        this.seed = seed;
        own = new SplittableRandom(seed * 31 + trial.rank());
    }

    /// The step that runs or ran last.
    String where() {
        return where;
    }

    void run() {
        steps(trial.world(), seed, STEPS, 0, "");
    }

    /// All ranks of `comm` come here with the same seed.
    private void steps(Comm comm, long stepsSeed, int count, int depth, String path) {
        SplittableRandom shared = new SplittableRandom(stepsSeed);
        for (int i = 0; i < count; i++) {
            Kind kind = Kind.values()[shared.nextInt(Kind.values().length)];
            long stepSeed = shared.nextLong();
            where = "step " + path + i + " " + kind;
            Step step = new Step(trial, comm, stepSeed, new SplittableRandom(stepSeed), own);
            switch (kind) {
                case EXCHANGE -> new Exchange(step).run();
                case COLLECTIVE -> new CollectiveStep(step).run();
                case OVERLAP -> overlap(step);
                case OBJECTS -> new ObjectStep(step).run();
                case PERSISTENT -> new PersistentStep(step).run();
                case SPLIT -> split(step, depth, path + i + ".");
            }
        }
    }

    /// Collective calls under way, messages meanwhile.
    private static void overlap(Step step) {
        CollectiveStep[] calls = new CollectiveStep[step.shared().nextInt(1, 4)];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = new CollectiveStep(step.part(i));
            calls[i].start();
        }
        new Exchange(step.part(calls.length)).run();
        for (int i : step.order(calls.length)) calls[i].finish();
    }

    private void split(Step step, int depth, String path) {
        Comm comm = step.comm();
        int size = comm.size();
        int[] colors = new int[size];
        int[] keys = new int[size];
        for (int r = 0; r < size; r++) {
            colors[r] = step.shared().nextInt(-1, 2);
            keys[r] = step.shared().nextInt(3);
        }
        int me = comm.rank();
        int color = colors[me];
        try (OwnedComm part = comm.split(color < 0 ? Comm.UNDEFINED : color, keys[me])) {
            if (color < 0) {
                Check.same(0, part.size(), "ranks of no part");
                return;
            }
            int before = 0;
            int all = 0;
            for (int r = 0; r < size; r++) {
                if (colors[r] != color) continue;
                all++;
                if (keys[r] < keys[me] || keys[r] == keys[me] && r < me) before++;
            }
            Check.same(all, part.size(), "ranks of the part");
            Check.same(before, part.rank(), "rank in the part");
            long inner = step.seed() + 1 + color;
            if (depth < DEEPEST) steps(part, inner, INNER_STEPS, depth + 1, path);
            try (OwnedComm copy = part.dup()) {
                copy.barrier();
            }
        }
    }
}
