package org.tutti.futures;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.SimulatedWorker.Fate;
import org.tutti.futures.SimulatedWorker.Task;

/// A source of tasks in a simulation: a map, or batches that count the outcomes of each task.
final class SimulatedUser {
    private static final Fate[] FATES = Fate.values();

    private final int number;
    private final boolean isMap;
    private final boolean idempotent;
    private final int chunk;
    private final boolean mayCancel;
    private final SplittableRandom random;
    private final List<Task> tasks = new ArrayList<>();

    /// The outcomes of each task.
    private final Map<Integer, List<Object>> ends = new HashMap<>();

    private final List<TaskBatch> batches = new ArrayList<>();
    private @Nullable PoolJob job;
    private @Nullable MapRun map;
    private int given;
    private int taken;
    private boolean cancelled;
    private boolean hasFinished;

    SimulatedUser(int number, SplittableRandom random) {
        this.number = number;
        this.random = random;
        isMap = random.nextBoolean();
        idempotent = random.nextInt(4) == 0;
        chunk = random.nextInt(1, 6);
        mayCancel = random.nextInt(4) == 0;
        int badly = random.nextInt(3); // share of failing tasks, in thirds
        int count = random.nextInt(1, 25);
        for (int i = 0; i < count; i++) {
            tasks.add(new Task(i, random.nextInt(3) < badly ? FATES[random.nextInt(FATES.length)] : Fate.RETURNS));
        }
    }

    /// Performs one action, if one is possible.
    boolean act(Dispatcher dispatcher) {
        if (job == null) {
            Object[] definition = {"words", null};
            job = new PoolJob(
                    Wire.APPLY, dispatcher.newJob(), definition, 0, 0, idempotent, new long[0], "map", "", null);
        }
        if (mayCancel && !cancelled && given > 0 && random.nextInt(20) == 0) {
            cancel(dispatcher);
            return true;
        }
        try {
            return isMap ? take(dispatcher) : give(dispatcher);
        } catch (TaskRefusedException | BrokenPoolException e) {
            hasFinished = true; // the pool was closed, or has ended
            return false;
        }
    }

    private void cancel(Dispatcher dispatcher) {
        cancelled = true;
        if (map != null) map.cancel();
        for (TaskBatch batch : List.copyOf(batches)) dispatcher.cancel(batch);
    }

    // ---- batches

    private final class Counting implements TaskBatch.Sink {
        private final Dispatcher dispatcher;
        private final boolean isFuture;

        Counting(Dispatcher dispatcher, boolean isFuture) {
            this.dispatcher = dispatcher;
            this.isFuture = isFuture;
        }

        private void end(long task, Object outcome) {
            ends.computeIfAbsent((int) task, _ -> new ArrayList<>()).add(outcome);
            if (isFuture) {
                TaskBatch batch = batches.stream()
                        .filter(b -> b.first == task)
                        .findFirst()
                        .orElseThrow();
                dispatcher.futureCompleted(batch);
            }
        }

        @Override
        public void done(long task, @Nullable Object value) {
            end(task, value == null ? "null" : value);
        }

        @Override
        public void failed(long task, RuntimeException why) {
            end(task, why);
        }

        @Override
        public void cancelled(long task) {
            end(task, new CancellationException());
        }

        @Override
        public void begins(TaskBatch part) {
            batches.add(part);
        }
    }

    private boolean give(Dispatcher dispatcher) {
        if (given == tasks.size() || hasFinished || cancelled) return false;
        boolean isFuture = random.nextBoolean();
        int count = isFuture ? 1 : Math.min(chunk, tasks.size() - given);
        Object[] arguments = tasks.subList(given, given + count).toArray();
        TaskBatch batch = new TaskBatch(job, new Counting(dispatcher, isFuture), given, arguments);
        batches.add(batch);
        given += count;
        try {
            if (isFuture) dispatcher.submit(batch);
            else dispatcher.offer(batch);
        } catch (TaskRefusedException | BrokenPoolException e) {
            given -= count;
            throw e;
        }
        return true;
    }

    // ---- a map

    private boolean take(Dispatcher dispatcher) {
        if (hasFinished) return false;
        if (map == null) {
            given = tasks.size();
            TaskOptions options = TaskOptions.defaults(0).chunk(chunk);
            if (random.nextBoolean()) options = options.window(random.nextInt(1, 12));
            map = new MapRun(dispatcher, job, options, tasks.iterator(), tasks.size());
            return true;
        }
        if (map.isAtEnd()) {
            hasFinished = true;
            return false;
        }
        if (!map.isReady()) return false;
        Object outcome;
        try {
            outcome = map.take();
        } catch (RuntimeException e) {
            outcome = e;
        }
        ends.computeIfAbsent(taken++, _ -> new ArrayList<>()).add(outcome == null ? "null" : outcome);
        return true;
    }

    // ---- outcomes

    /// Returns the task that would be awaited forever, or null.
    @Nullable
    String waits() {
        if (isMap) return map == null || hasFinished || cancelled ? null : "map " + number + " waits for task " + taken;
        for (int i = 0; i < given; i++)
            if (!ends.containsKey(i)) return "task " + i + " of user " + number + " never ends";
        return null;
    }

    @Nullable
    String wrong(boolean afterDeath, boolean afterClose) {
        for (var end : ends.entrySet()) {
            Task task = tasks.get(end.getKey());
            Object outcome = end.getValue().getFirst();
            String text = "user " + number + ", chunk " + chunk + ", " + task + " has ended as " + end.getValue();
            if (end.getValue().size() > 1) return text;
            boolean isLost = outcome instanceof WorkerLostException || outcome instanceof BrokenPoolException;
            if (isLost && afterDeath) continue;
            if (outcome instanceof CancellationException && (cancelled || afterClose)) continue;
            if (!isRight(task, outcome)) return text;
        }
        return waits();
    }

    private boolean isRight(Task task, Object outcome) {
        boolean withUnreadable = chunk > 1 && tasks.stream().anyMatch(t -> t.fate() == Fate.RESULT_UNREADABLE);
        // documented: an unreadable answer fails all tasks of the message
        if (withUnreadable && isRefused(outcome, "with withChunkSize(1) only that task fails")) return true;
        return switch (task.fate()) {
            case RETURNS -> outcome == task;
            case THROWS ->
                outcome instanceof TaskFailedException f
                        && f.getMessage().startsWith("IllegalStateException: task " + task.number());
            case ARGUMENT_UNSENDABLE -> isRefused(outcome, "the argument of task " + task.number() + " is not a value");
            case ARGUMENT_UNREADABLE -> isRefused(outcome, "cannot be rebuilt on rank");
            case RESULT_UNSENDABLE -> isRefused(outcome, "the result is not a value");
            case RESULT_UNREADABLE -> isRefused(outcome, "a result cannot be read on this rank");
        };
    }

    private static boolean isRefused(Object outcome, String text) {
        return outcome instanceof TaskRefusedException refused
                && String.valueOf(refused.getMessage()).contains(text);
    }
}
