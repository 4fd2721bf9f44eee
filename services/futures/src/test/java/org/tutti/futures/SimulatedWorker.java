package org.tutti.futures;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// A simulated worker, which performs one step at a time when [PoolSimulation] chooses it. Implemented from the
/// protocol description in [Wire], independently of [Worker].
final class SimulatedWorker {
    /// The planned outcome of a task.
    enum Fate {
        RETURNS,
        THROWS,
        /// The argument cannot be encoded by the leading rank, or be decoded by the worker.
        ARGUMENT_UNSENDABLE,
        ARGUMENT_UNREADABLE,
        /// The result cannot be encoded by the worker, or be decoded by the leading rank.
        RESULT_UNSENDABLE,
        RESULT_UNREADABLE
    }

    record Task(int number, Fate fate) {}

    record SimulatedAnswer(int source, long[] head, Object[] values, Object[] failures) implements PoolLink.Answer {
        @Override
        public long bytes() {
            return 100;
        }

        @Override
        public Object[] receive() {
            for (Object value : values) {
                if (value instanceof Task task && task.fate == Fate.RESULT_UNREADABLE) {
                    throw new IllegalArgumentException("the constructor threw");
                }
            }
            return new Object[] {head, values, failures};
        }
    }

    final int rank;
    final ArrayDeque<Object[]> inbox = new ArrayDeque<>();

    /// Answers that were sent but not received.
    final ArrayDeque<SimulatedAnswer> outbox = new ArrayDeque<>();

    private final ArrayDeque<SimulatedAnswer> unsent = new ArrayDeque<>();
    private final Set<Long> cancelled = new HashSet<>();
    private final Set<Long> jobs = new HashSet<>();
    private final SplittableRandom random;
    private Object[] current;
    private int at;
    private final List<Object> failures = new ArrayList<>();
    private Object[] values = {};
    private long serial;
    private long word;
    boolean dead;
    boolean stopped;

    SimulatedWorker(int rank, SplittableRandom random) {
        this.rank = rank;
        this.random = random;
    }

    void control(long message) {
        cancelled.add(message);
    }

    long word() {
        return word;
    }

    boolean canStep() {
        return !dead && (current != null || !unsent.isEmpty() || !inbox.isEmpty());
    }

    private void answer(int kind, int first, Object[] those, Object... rows) {
        unsent.add(new SimulatedAnswer(rank, new long[] {kind, first, 1 + random.nextInt(2_000_000), 0}, those, rows));
    }

    /// Performs the next step.
    void step() {
        if (!unsent.isEmpty()) {
            SimulatedAnswer next = unsent.poll();
            outbox.add(next);
            if (next.head()[Wire.KIND] == Wire.DONE) word = serial << Integer.SIZE;
            if (next.head()[Wire.KIND] == Wire.BYE) stopped = true;
        } else if (current == null) {
            begin(inbox.poll());
        } else if (at < values.length) {
            runOne();
        } else {
            finish();
        }
    }

    private void begin(Object[] message) {
        long[] head = (long[]) message[0];
        if (head[Wire.KIND] == Wire.STOP) {
            answer(Wire.BYE, 0, new Object[0]);
            return;
        }
        serial++;
        Object[] tasks = (Object[]) message[2];
        for (Object task : tasks) {
            if (((Task) task).fate == Fate.ARGUMENT_UNREADABLE) {
                answer(Wire.UNREADABLE, 0, new Object[] {"the constructor threw"});
                return;
            }
        }
        if (message[1] != null) {
            jobs.add(head[Wire.JOB]);
        } else if (!jobs.contains(head[Wire.JOB])) {
            answer(Wire.UNKNOWN, 0, new Object[0]);
            return;
        }
        current = tasks;
        at = 0;
        values = new Object[tasks.length];
        failures.clear();
    }

    private void runOne() {
        word = serial << Integer.SIZE | at + 1;
        Task task = (Task) current[at];
        if (random.nextInt(8) == 0) answer(Wire.REPORT, 0, new Object[] {"task " + task.number});
        if (cancelled.contains(serial)) failures.add(TaskFailures.row(at, Wire.CANCELLED, "", null));
        else if (task.fate == Fate.THROWS) {
            failures.add(TaskFailures.row(at, Wire.FAILED, "", new IllegalStateException("task " + task.number)));
        } else values[at] = task;
        at++;
    }

    private void finish() {
        boolean whole = true;
        for (Object value : values) whole &= !(value instanceof Task task) || task.fate != Fate.RESULT_UNSENDABLE;
        if (whole) {
            answer(Wire.DONE, 0, values, failures.toArray());
        } else {
            answer(Wire.PARTS, 0, new Object[0]);
            for (int i = 0; i < values.length; i++) part(i);
            answer(Wire.DONE, 0, new Object[0]);
        }
        current = null;
    }

    private void part(int i) {
        Object[] row = null;
        for (Object failure : failures) if ((Integer) ((Object[]) failure)[0] == i) row = (Object[]) failure;
        if (values[i] instanceof Task task && task.fate == Fate.RESULT_UNSENDABLE) {
            row = TaskFailures.row(i, Wire.REFUSED, "the result is not a value", null);
        }
        if (row == null) answer(Wire.PART, i, new Object[] {values[i]});
        else answer(Wire.PART, i, new Object[] {null}, (Object) row);
    }
}
