package org.tutti.conformance.random;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.OwnedComm;

/// The execution of one random program by one rank.
final class RandomProgram {
    private static final int STEPS = 10, INNER_STEPS = 4, DEEPEST = 2;

    /// The kinds of steps.
    private enum Kind {
        EXCHANGE,
        COLLECTIVE,
        OVERLAP,
        OBJECTS,
        PERSISTENT,
        SPLIT,
        // with bursts only
        BURST,
        CLOSED,
        THREADS
    }

    private static final int WITHOUT_BURSTS = Kind.BURST.ordinal();

    private final Trial trial;
    private final long seed;
    private final int kinds;
    private final SplittableRandom own;
    private String where = "the start";

    RandomProgram(Trial trial, long seed, boolean bursts) {
        this.trial = trial;
        this.seed = seed;
        kinds = bursts ? Kind.values().length : WITHOUT_BURSTS;
        own = new SplittableRandom(seed * 31 + trial.rank());
    }

    /// Returns the current step, or the last step.
    String where() {
        return where;
    }

    void run() {
        steps(trial.world(), seed, STEPS, 0, "");
    }

    /// Executes steps. All ranks of `comm` pass the same seed.
    private void steps(Comm comm, long stepsSeed, int count, int depth, String path) {
        SplittableRandom shared = new SplittableRandom(stepsSeed);
        for (int i = 0; i < count; i++) {
            Kind kind = Kind.values()[shared.nextInt(kinds)];
            long stepSeed = shared.nextLong();
            where = "step " + path + i + " " + kind;
            Step step = new Step(trial, comm, stepSeed, new SplittableRandom(stepSeed), own);
            switch (kind) {
                case EXCHANGE -> new ExchangeStep(step).run();
                case COLLECTIVE -> collective(step);
                case OVERLAP -> overlap(step);
                case OBJECTS -> new ObjectStep(step).run();
                case PERSISTENT -> new PersistentStep(step).run();
                case SPLIT -> split(step, depth, path + i + ".");
                case BURST -> new Burst(step).run();
                case CLOSED -> closed(step);
                case THREADS -> threads(step);
            }
        }
    }

    /// Exchanges messages while collective calls are active.
    private static void overlap(Step step) {
        CollectiveStep[] calls = new CollectiveStep[step.shared().nextInt(1, 4)];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = new CollectiveStep(step.part(i), Integer.MAX_VALUE);
            calls[i].start();
        }
        new ExchangeStep(step.part(calls.length)).run();
        for (int i : step.order(calls.length)) calls[i].finish();
        for (CollectiveStep call : calls) call.close();
    }

    /// Closes a communicator while calls on it are active (MPI 4.1, section 7.4.3), then makes calls on a new
    /// one.
    private static void closed(Step step) {
        OwnedComm first = step.comm().dup();
        Burst onFirst = new Burst(step.on(first, 0));
        onFirst.begin();
        first.close();
        try (OwnedComm second = step.comm().dup()) {
            new Burst(step.on(second, 1)).run();
        }
        onFirst.finish();
    }

    /// Makes collective calls in two threads, each with a separate communicator.
    private static void threads(Step step) {
        try (OwnedComm first = step.comm().dup();
                OwnedComm second = step.comm().dup()) {
            Step other = step.on(second, 1);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread thread = (step.own().nextBoolean() ? Thread.ofVirtual() : Thread.ofPlatform())
                    .uncaughtExceptionHandler((_, e) -> failure.set(e))
                    .start(() -> new Burst(other).run());
            new Burst(step.on(first, 0)).run();
            join(thread);
            if (failure.get() != null)
                throw new AssertionError("in the second thread: " + failure.get(), failure.get());
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("a random program was interrupted", e);
        }
    }

    private static void collective(Step step) {
        int rounds = step.shared().nextInt(4) == 0 ? step.shared().nextInt(1, 5) : 1;
        try (CollectiveStep call = new CollectiveStep(step, Integer.MAX_VALUE)) {
            for (int i = 0; i < rounds; i++) call.run();
        }
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
