package org.tutti.launch.watch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.ThreadState;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.job.status.StacksFile;
import org.tutti.launch.machine.HostResources;

/// Queries the current activity of all ranks of a job. A rank on this machine checks for queries four times per
/// second (`RankWatch`) and answers with the stacks. The activity of a rank that does not answer is observed
/// from outside.
final class ActivityQuery implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// The waiting time that is added for each rank, divided by the number of cores: the first answer of a rank
    /// needs this much time on a core.
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long POLL_MILLIS = 10;

    private final JobStatus status;
    private final ProcessMonitor processes;

    /// Created for the first query and retained, because a delayed rank may still write to it.
    private @Nullable StacksFile file;

    /// The last report of a remote rank.
    private record Elsewhere(String host, String text) {}

    private final Map<Integer, Elsewhere> elsewhere = new ConcurrentHashMap<>();

    ActivityQuery(JobStatus status, ProcessMonitor processes) {
        this.status = status;
        this.processes = processes;
    }

    /// Stores the activity that a remote rank has reported. An empty `text` means that the rank is in a call,
    /// and removes the stored activity.
    void update(int rank, String host, String text) {
        if (text.isEmpty()) elsewhere.remove(rank);
        else elsewhere.put(rank, new Elsewhere(host, text));
    }

    /// Returns the activity of each rank, by rank number. Waits until every rank of this machine has answered,
    /// has ended or is stopped. The time limit is one second, plus 0.1 s per rank divided by the number of cores.
    List<RankActivity> ask() throws InterruptedException {
        processes.update();
        StacksFile answers = open();
        BitSet alive = new BitSet();
        for (int r = 0; r < status.size(); r++) if (isAlive(r)) alive.set(r);
        long number = 0;
        if (answers != null) {
            number = status.ask(answers.path());
            await(alive, number);
        }
        List<RankActivity> doings = new ArrayList<>();
        for (int r = 0; r < status.size(); r++) {
            String report = answers != null && alive.get(r) && status.answered(r) == number ? read(answers, r) : "";
            if (!report.isEmpty()) doings.add(asReported(r, report));
            else if (!alive.get(r)) doings.add(fromElsewhere(r));
            else if (answers == null) doings.add(new RankActivity(true, processes.describe(r), processes.threads(r)));
            else doings.add(unresponsive(r));
        }
        return doings;
    }

    private @Nullable StacksFile open() {
        try {
            if (file == null) file = StacksFile.create(status.size());
            return file;
        } catch (IOException e) {
            return null; // no memory: describe ranks from outside
        }
    }

    /// Whether the rank's process runs on this machine.
    private boolean isAlive(int rank) {
        long pid = status.pid(rank);
        return pid != 0 && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private void await(BitSet asked, long number) throws InterruptedException {
        long patience = PATIENCE_NANOS + ANSWER_NANOS * status.size() / HostResources.cores();
        long began = System.nanoTime();
        while (System.nanoTime() - began < patience) {
            boolean all = true;
            for (int r = asked.nextSetBit(0); r >= 0; r = asked.nextSetBit(r + 1)) {
                all &= status.answered(r) == number || processes.isStopped(r) || !isAlive(r);
            }
            if (all) return;
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static String read(StacksFile answers, int rank) {
        try {
            return answers.read(rank);
        } catch (IOException e) {
            return "";
        }
    }

    private RankActivity asReported(int rank, String text) {
        int end = text.indexOf('\n');
        ThreadState doing = end < 0 ? null : ThreadState.read(text.substring(0, end));
        if (doing == null) return unresponsive(rank);
        return new RankActivity(
                doing.kind() == ThreadState.Kind.CALLS, processes.describe(rank, doing), text.substring(end + 1));
    }

    /// Describes a rank of this machine that has not answered.
    private RankActivity unresponsive(int rank) {
        if (processes.isStopped(rank)) return new RankActivity(false, "stopped by a signal", processes.threads(rank));
        if (processes.collects(rank)) return new RankActivity(false, "in garbage collection", processes.threads(rank));
        String time = processes.processorTime(rank);
        String words = "unresponsive (its JVM does not answer)" + (time.isEmpty() ? "" : ", " + time);
        return new RankActivity(true, words, processes.threads(rank)); // the answer may only be delayed
    }

    private RankActivity fromElsewhere(int rank) {
        Elsewhere report = elsewhere.get(rank);
        ThreadState doing = report == null
                ? null
                : ThreadState.read(report.text.lines().findFirst().orElse(""));
        if (report == null || doing == null) return new RankActivity(false, "in an unknown state", why(rank));
        String stacks = report.text.substring(report.text.indexOf('\n') + 1);
        return new RankActivity(doing.kind() == ThreadState.Kind.CALLS, doing.words() + ", on " + report.host, stacks);
    }

    private String why(int rank) {
        if (status.pid(rank) != 0) return "    its process has ended\n";
        return status.state(rank) == State.ABSENT
                ? "    it has not started, or is not a Java program\n"
                : "    it runs on another machine and has not reported its activity\n";
    }

    @Override
    public void close() throws IOException {
        if (file != null) file.close();
    }
}
