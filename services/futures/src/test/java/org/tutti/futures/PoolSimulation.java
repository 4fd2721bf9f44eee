package org.tutti.futures;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.SimulatedWorker.Fate;
import org.tutti.futures.SimulatedWorker.SimulatedAnswer;
import org.tutti.futures.SimulatedWorker.Task;

/// Runs the leading rank of a pool with simulated workers and users under a seeded schedule. Whenever the
/// dispatcher polls for an answer, the simulation chooses the next event. All events run on the dispatcher's
/// thread, so the schedule depends only on the seed. A wait is reported as a hang when no further event is
/// possible.
final class PoolSimulation implements PoolLink {
    private static final int MOST_STEPS = 100_000;

    private final SplittableRandom random;
    private final List<SimulatedWorker> workers = new ArrayList<>();
    private final List<SimulatedUser> users = new ArrayList<>();
    /// Delays the dispatcher's thread, which is started in the constructor, until this object is complete.
    private final CountDownLatch ready = new CountDownLatch(1);

    private final boolean mayDie;
    private final boolean closesEarly;
    private final Dispatcher dispatcher;
    private final StringBuilder trace = new StringBuilder();
    private int deaths;
    private int deathsSeen;
    private boolean closed;
    private @Nullable String stuck;

    PoolSimulation(long seed) {
        random = new SplittableRandom(seed);
        mayDie = random.nextInt(3) == 0;
        closesEarly = random.nextInt(5) == 0;
        int count = random.nextInt(1, 4);
        for (int i = 1; i <= count; i++) workers.add(new SimulatedWorker(i, random));
        int many = random.nextInt(1, 4);
        for (int i = 0; i < many; i++) users.add(new SimulatedUser(i, random));
        dispatcher = new Dispatcher(this, true, new Deaths(), () -> {});
        ready.countDown();
    }

    /// Runs the schedule and returns a trace of the events.
    ///
    /// @throws AssertionError when a task has a wrong outcome or several outcomes, or never ends
    String run() throws InterruptedException {
        synchronized (dispatcher) {
            while (!dispatcher.hasFinished()) dispatcher.wait();
        }
        if (!closed && workers.stream().anyMatch(w -> !w.dead)) throw new AssertionError(dispatcher + "\n" + trace);
        dispatcher.beginClose(); // needed if all workers died first
        boolean more = true;
        while (more) {
            more = false;
            for (SimulatedUser user : users) more |= user.act(dispatcher);
        }
        if (stuck != null) throw new AssertionError(stuck + "\n" + trace);
        for (SimulatedUser user : users) {
            String wrong = user.wrong(deaths > 0, closed);
            if (wrong != null) throw new AssertionError(wrong + "\n" + trace);
        }
        return trace.toString();
    }

    private void trace(String what) {
        trace.append(what).append('\n');
    }

    private final class Deaths extends WorkerDeaths {
        Deaths() {
            super(null);
        }

        @Override
        boolean areNew() {
            try {
                ready.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            List<SimulatedWorker> living = workers.stream().filter(w -> !w.dead).toList();
            if (mayDie && !living.isEmpty() && random.nextInt(25) == 0) {
                SimulatedWorker dying = living.get(random.nextInt(living.size()));
                dying.dead = true;
                deaths++;
                trace("rank " + dying.rank + " dies");
            }
            boolean more = deaths > deathsSeen;
            deathsSeen = deaths;
            return more;
        }

        @Override
        boolean isDead(int rank) {
            return workers.get(rank - 1).dead;
        }

        @Override
        String how(int rank) {
            return "was killed";
        }

        @Override
        long started(int rank) {
            return workers.get(rank - 1).word();
        }
    }

    // ---- the link

    @Override
    public int size() {
        return workers.size() + 1;
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Pending send(Object message, int worker, int tag) {
        SimulatedWorker to = workers.get(worker - 1);
        if (message instanceof long[] control) {
            trace("cancel message " + control[0] + " of rank " + worker);
            to.control(control[0]);
            return () -> {};
        }
        Object[] parts = (Object[]) message;
        if (((long[]) parts[0])[Wire.KIND] == Wire.STOP) {
            trace("stop rank " + worker);
        } else {
            for (Object task : (Object[]) parts[2]) {
                if (((Task) task).fate() == Fate.ARGUMENT_UNSENDABLE) {
                    throw new IllegalArgumentException("is no value");
                }
            }
            trace("to rank " + worker + (parts[1] == null ? ": " : ", defined: ") + List.of((Object[]) parts[2]));
        }
        if (!to.dead) to.inbox.add(parts);
        return () -> {};
    }

    @Override
    public @Nullable Answer poll(int worker) {
        return workers.get(worker - 1).outbox.poll();
    }

    @Override
    public @Nullable Answer pollAny() {
        return random.nextBoolean() ? null : some();
    }

    /// Returns an answer that some worker has sent.
    private @Nullable Answer some() {
        List<SimulatedWorker> ready =
                workers.stream().filter(w -> !w.dead && !w.outbox.isEmpty()).toList();
        if (ready.isEmpty()) return null;
        SimulatedAnswer answer = ready.get(random.nextInt(ready.size())).outbox.poll();
        trace("from rank " + answer.source() + ": " + answer.head()[Wire.KIND] + " " + answer.failures().length);
        return answer;
    }

    /// Runs events until an answer is available.
    @Override
    public Answer await() {
        for (int idle = 0, steps = 0; ; steps++) {
            if (steps > MOST_STEPS) throw new AssertionError("no answer after " + steps + " steps");
            if (random.nextInt(3) == 0) {
                Answer answer = some();
                if (answer != null) return answer;
            }
            boolean happened = random.nextInt(3) == 0 ? userActs() : workerActs();
            if (!closed && closesEarly && random.nextInt(60) == 0) close();
            idle = happened ? 0 : idle + 1;
            if (idle > 20) {
                boolean more = false; // the random choices may have missed an event
                for (SimulatedUser user : users) more |= user.act(dispatcher);
                for (SimulatedWorker worker : workers)
                    more |= worker.canStep() || !worker.dead && !worker.outbox.isEmpty();
                idle = 0;
                if (!more) end();
            }
        }
    }

    private boolean workerActs() {
        SimulatedWorker worker = workers.get(random.nextInt(workers.size()));
        if (!worker.canStep()) return false;
        worker.step();
        return true;
    }

    private boolean userActs() {
        return users.get(random.nextInt(users.size())).act(dispatcher);
    }

    /// Ends a schedule in which no further event is possible.
    private void end() {
        for (SimulatedUser user : users) {
            String waits = user.waits();
            if (waits != null && stuck == null) stuck = waits;
        }
        if (closed) {
            if (stuck == null) stuck = "the pool waits for workers that have left: " + dispatcher;
            throw new CancellationException("stuck");
        }
        close();
    }

    private void close() {
        trace("close");
        closed = true;
        dispatcher.beginClose();
    }
}
