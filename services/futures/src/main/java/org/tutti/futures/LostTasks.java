package org.tutti.futures;

import java.util.ArrayDeque;
import java.util.Arrays;

/// Decides about the unfinished tasks of a worker that died. Started tasks are lost, or are repeated once if
/// permitted; unstarted tasks are moved to other workers. Used under the dispatcher's lock.
final class LostTasks {
    private final WorkerState worker;
    private final long word;
    private final String how;
    private final String remaining;

    /// Batches to be sent again, in this order.
    private final ArrayDeque<TaskBatch> again = new ArrayDeque<>();

    /// @param word the worker's last progress, see [WorkerState#started]
    /// @param how `was killed (SIGKILL)`
    /// @param remaining `3 of 4 workers continue`
    LostTasks(WorkerState worker, long word, String how, String remaining) {
        this.worker = worker;
        this.word = word;
        this.how = "rank " + worker.rank + " " + how;
        int spared = 0;
        for (TaskBatch b : worker.under) if (b.isOfTasks()) spared += b.arguments.length - started(b);
        String moved = spared == 1 ? " unstarted task" : " unstarted tasks";
        this.remaining = (spared == 0 ? "" : "; " + spared + moved + " moved to other workers") + "; " + remaining;
    }

    /// Returns the number of tasks of the batch that were started, including answered tasks.
    private int started(TaskBatch batch) {
        return Math.max(batch.answered, worker.started(batch, word));
    }

    /// Ends the lost tasks. Returns the batches to be sent again, in order.
    ArrayDeque<TaskBatch> settle() {
        for (TaskBatch b = worker.under.poll(); b != null; b = worker.under.poll()) settle(b);
        return again;
    }

    private void settle(TaskBatch b) {
        int started = started(b);
        if (b.job.kind() == Wire.SHARE || b.job.kind() == Wire.UNSHARE) return;
        if (b.job.kind() == Wire.TOGETHER) {
            b.fail(new WorkerLostException(
                    how + (started > 0 ? " in " : " before ") + b.job.name() + remaining, worker.rank, 0, started > 0));
        } else if (b.answered == b.arguments.length) {
            b.sink.ended(b, 0, 0); // all results have arrived, only DONE is missing
        } else if (b.unwanted) {
            b.cancel();
        } else if (started == 0) {
            sendAgain(b);
        } else if (b.arguments.length == 1) {
            settleOne(b, true);
        } else {
            for (int i = b.answered; i < started; i++) settleOne(part(b, i, i + 1), i + 1 == started);
            if (started < b.arguments.length) sendAgain(part(b, started, b.arguments.length));
            b.sink.ended(b, 0, 0);
        }
    }

    private static TaskBatch part(TaskBatch b, int from, int to) {
        TaskBatch part = new TaskBatch(b.job, b.sink, b.first + from, Arrays.copyOfRange(b.arguments, from, to));
        part.firstLoss = b.firstLoss;
        b.sink.begins(part);
        return part;
    }

    private void sendAgain(TaskBatch b) {
        b.worker = -1;
        b.send = null;
        again.add(b);
    }

    /// @param isLast whether this is the last started task, which may have been running; the started tasks before
    ///     it had ended without sending results
    private void settleOne(TaskBatch b, boolean isLast) {
        if (b.job.idempotent() && b.firstLoss.isEmpty()) {
            b.firstLoss = how + " in the first attempt, and ";
            sendAgain(b);
            return;
        }
        String where = isLast && (int) word != 0 ? " in " : " before it sent the result of ";
        String text = b.firstLoss + how + where + (b.job.kind() == Wire.FOLD ? "chunk " : "task ") + b.first + " of "
                + b.job.name();
        b.fail(new WorkerLostException(text + remaining, worker.rank, b.first, true));
    }
}
