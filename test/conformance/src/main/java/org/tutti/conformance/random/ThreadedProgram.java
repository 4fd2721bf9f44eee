package org.tutti.conformance.random;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.OwnedComm;

/// A random program with up to three threads on each rank. Each thread runs steps on a private duplicate of
/// WORLD: messages, collective calls, objects, partitioned messages, neighborhood calls, windows, files, and
/// the creation of every kind of object. Threads use equal tags.
final class ThreadedProgram {
    private static final int STEPS = 8, MOST_THREADS = 3;

    /// The kinds of steps.
    private enum Kind {
        EXCHANGE,
        COLLECTIVE,
        OBJECTS,
        PERSISTENT,
        ORDER,
        NEIGHBORS,
        PARTITIONED,
        CREATION,
        WINDOW,
        FILE
    }

    private final Mpi mpi;
    private final long seed;
    private final SplittableRandom own;
    private volatile String where = "the start";

    ThreadedProgram(Mpi mpi, long seed) {
        this.mpi = mpi;
        this.seed = seed;
        own = new SplittableRandom(seed * 31 + mpi.world().rank());
    }

    /// Returns the step that a thread began last.
    String where() {
        return where;
    }

    void run() {
        SplittableRandom shared = new SplittableRandom(seed);
        int threads = shared.nextInt(1, MOST_THREADS + 1);
        boolean virtual = own.nextInt(3) == 0;
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<OwnedComm> comms = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) comms.add(mpi.world().dup());
        for (int i = 0; i < threads; i++) {
            int number = i;
            long threadSeed = shared.nextLong();
            SplittableRandom choices = own.split();
            running.add((virtual ? Thread.ofVirtual() : Thread.ofPlatform()).unstarted(() -> {
                try {
                    steps(comms.get(number), number, threadSeed, choices);
                } catch (Throwable t) {
                    failure.compareAndSet(null, t);
                }
            }));
        }
        running.forEach(Thread::start);
        for (Thread thread : running) join(thread, failure);
        Throwable failed = failure.get();
        if (failed != null) throw new AssertionError(failed.toString(), failed);
        comms.forEach(OwnedComm::close);
    }

    /// Waits for a thread, or until a thread fails: other threads may then wait forever.
    private static void join(Thread thread, AtomicReference<@Nullable Throwable> failure) {
        try {
            while (thread.isAlive() && failure.get() == null) thread.join(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException("a random program was interrupted", e);
        }
    }

    private void steps(Comm comm, int thread, long threadSeed, SplittableRandom choices) {
        SplittableRandom shared = new SplittableRandom(threadSeed);
        Trial trial = new Trial(mpi, threadSeed, new Trial.Scratch());
        for (int i = 0; i < STEPS; i++) {
            Kind kind = Kind.values()[shared.nextInt(Kind.values().length)];
            long stepSeed = shared.nextLong();
            String here = "thread " + thread + " step " + i + " " + kind;
            where = here;
            Step step = new Step(trial, comm, stepSeed, new SplittableRandom(stepSeed), choices);
            try {
                run(kind, step, thread);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(here + ": " + e, e);
            }
        }
    }

    private static void run(Kind kind, Step step, int thread) {
        switch (kind) {
            case EXCHANGE -> new ExchangeStep(step).run();
            case COLLECTIVE -> {
                try (CollectiveStep call = new CollectiveStep(step, 3_000)) {
                    call.run();
                }
            }
            case OBJECTS -> new ObjectStep(step).run();
            case PERSISTENT -> new PersistentStep(step).run();
            case ORDER -> order(step);
            case NEIGHBORS -> new NeighborStep(step).run();
            case PARTITIONED -> new PartitionedStep(step).run();
            case CREATION -> new CreationStep(step, thread).run();
            case WINDOW -> new WindowProgram(step.comm(), step.seed(), 2).run();
            case FILE -> new FileStep(step).run();
        }
    }

    /// Starts persistent collective requests and waits for completion, in an order that each rank chooses.
    private static void order(Step step) {
        CollectiveStep[] calls = new CollectiveStep[step.shared().nextInt(2, 5)];
        for (int i = 0; i < calls.length; i++) calls[i] = CollectiveStep.persistent(step.part(i), 1_000);
        int rounds = step.shared().nextInt(1, 4);
        for (int round = 0; round < rounds; round++) {
            for (int i : step.order(calls.length)) calls[i].start();
            for (int i : step.order(calls.length)) calls[i].finish();
        }
        for (CollectiveStep call : calls) call.close();
    }
}
