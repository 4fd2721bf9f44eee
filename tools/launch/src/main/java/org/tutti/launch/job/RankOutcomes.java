package org.tutti.launch.job;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.ApiNames;
import org.tutti.job.process.ExitCode;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.launch.JobText;

/// The outcome of each rank, and the rules that define a failure. The cause of the end of a job is the earliest
/// failure that is not a consequence of a different failure.
final class RankOutcomes {
    /// The exit code of a rank with an unknown exit code: the process is not a child of this launcher, and the
    /// rank's shell has not reported the code.
    static final int UNKNOWN = -1;

    /// The exit codes after SIGKILL and SIGABRT.
    private static final int KILLED = 137, ABORTED = 134;

    /// @param rank -1 if unknown
    /// @param pid 0 if unknown or not started
    /// @param host the host if it is a remote machine; otherwise empty
    /// @param exitCode the exit code with which the launcher reports this failure
    /// @param cause the reason, as reported by the rank or determined by the launcher
    record Failure(int rank, long pid, String host, int exitCode, long atNanos, String cause) {
        /// Whether this may be a consequence of the failure of a rank that has left.
        private boolean followsFromLeaving() {
            return ApiNames.contains(cause, JobStatus.LEFT_TEXT);
        }

        private Failure with(String note) {
            return new Failure(rank, pid, host, exitCode, atNanos, cause + note);
        }
    }

    /// Appended to the message of a failure if no pool was opened: a program that does not support `--pool`
    /// fails with errors that do not mention the option.
    private static final String NO_POOL =
            " (--pool: only rank 0 runs the program, and it had not opened a pool with RankPool.run or open; without"
                    + " --pool all ranks run the program; RankPool.processes starts the workers: run it with"
                    + " -n 1 and without --pool)";

    private final JobStatus status;
    private final BitSet ended = new BitSet();
    private final int[] codes;
    private final long[] exitedAtNanos;

    /// The remote ranks that have reported that they are terminating; the times of these reports are in
    /// `exitedAtNanos`.
    private final BitSet terminating = new BitSet();

    private final String[] hosts;
    private final long[] remotePids;

    /// Whether rank 0 runs the program and the other ranks, the workers, run the tasks of a pool.
    private final boolean isPool;

    /// Whether the job may survive the death of a worker.
    private final boolean outlivesWorkers;

    /// Whether the launcher is stopping the remaining ranks. A worker that ends from now on is not a lost worker.
    private boolean stopping;

    RankOutcomes(JobStatus status, boolean isPool, boolean outlivesWorkers) {
        this.status = status;
        this.isPool = isPool;
        this.outlivesWorkers = outlivesWorkers;
        codes = new int[status.size()];
        exitedAtNanos = new long[status.size()];
        hosts = new String[status.size()];
        Arrays.fill(hosts, "");
        remotePids = new long[status.size()];
    }

    /// Records the host of a remote rank.
    synchronized void runsOn(int rank, String host, long pid) {
        hosts[rank] = host;
        if (pid != 0) remotePids[rank] = pid;
    }

    /// Records that the process of a remote rank begins to end. The time of this call is used as the time of
    /// the rank's end, because the exit code may arrive after the failures that the end causes on other ranks.
    synchronized void terminates(int rank) {
        if (ended.get(rank) || terminating.get(rank)) return;
        exitedAtNanos[rank] = System.nanoTime();
        terminating.set(rank);
    }

    /// Records the end of each rank for which [#terminates] was called. Called when no further exit codes will
    /// arrive.
    synchronized void terminatedWithoutCode() {
        for (int rank = terminating.nextSetBit(0); rank >= 0; rank = terminating.nextSetBit(rank + 1))
            ended(rank, UNKNOWN);
    }

    synchronized void ended(int rank, int code) {
        if (ended.get(rank)) return;
        codes[rank] = code;
        if (!terminating.get(rank)) exitedAtNanos[rank] = System.nanoTime();
        ended.set(rank);
    }

    /// As [#ended], but if this is the death of a worker that the job survives, also publishes the loss on the
    /// status page for the other ranks, and returns true. The tasks of the worker are lost.
    synchronized boolean recordWorkerDeath(int rank, int code) {
        if (ended.get(rank)) return false;
        State state = status.state(rank);
        ended(rank, code);
        if (!outlivesWorkers || rank == 0 || state == State.LEFT || !status.mayLoseWorkers()) return false;
        if (ended.get(0) || stopping) return false;
        String how = state == State.FAILED
                ? "ended by " + summary(status.text(rank))
                : code == KILLED ? "was killed (SIGKILL)" : "ended with exit code " + code;
        status.lose(rank, how);
        return true;
    }

    synchronized boolean hasFinished(int rank) {
        return ended.get(rank);
    }

    /// Whether the rank has exited with 0. Only the status page can report a failure of such a rank.
    synchronized boolean exitedWithZero(int rank) {
        return ended.get(rank) && codes[rank] == 0;
    }

    /// Returns the number of machines on which all ranks have ended. All ranks that have not reported a host
    /// count as the ranks of one machine.
    synchronized int finishedHosts() {
        Set<String> all = new HashSet<>();
        Set<String> running = new HashSet<>();
        for (int rank = 0; rank < hosts.length; rank++) {
            all.add(hosts[rank]);
            if (!ended.get(rank)) running.add(hosts[rank]);
        }
        return all.size() - running.size();
    }

    synchronized boolean isFinished() {
        return ended.cardinality() == status.size();
    }

    /// Records that the launcher is stopping the remaining ranks, and returns these ranks.
    synchronized BitSet stopping() {
        stopping = true;
        BitSet running = new BitSet();
        running.set(0, status.size());
        running.andNot(ended);
        return running;
    }

    /// Returns the first failure known so far, or null.
    synchronized @Nullable Failure first() {
        Failure first = null;
        for (int rank = 0; rank < status.size(); rank++) {
            Failure failure = of(rank);
            if (failure != null && (first == null || isBefore(failure, first))) first = failure;
        }
        return first != null && outlivesWorkers && !status.mayLoseWorkers() ? first.with(NO_POOL) : first;
    }

    /// Returns whether `a` is the cause rather than `b`. The order in time is not sufficient. First, if a rank
    /// leaves with a failure, a rank that waits for it may report an error before the failure is reported.
    /// Second, a library may abort after the death of a peer before the shell of that peer reports the death,
    /// although a `RankShell` waits briefly after an abort. An abort is never the cause of a reported kill: the
    /// cleanup after an abort kills a rank together with the shell, which then cannot report an exit code.
    private static boolean isBefore(Failure a, Failure b) {
        if (a.followsFromLeaving() != b.followsFromLeaving()) return b.followsFromLeaving();
        if (a.exitCode == KILLED && b.exitCode == ABORTED) return true;
        if (a.exitCode == ABORTED && b.exitCode == KILLED) return false;
        return a.atNanos - b.atNanos < 0;
    }

    /// Whether the failure of a rank is ignored, because the rank is a worker and the job survives its death. As
    /// long as the worker's process has not ended, this is not yet known, and the failure is ignored, too.
    private boolean isForgiven(int rank) {
        return outlivesWorkers && rank > 0 && status.mayLoseWorkers() && (!ended.get(rank) || status.isLost(rank));
    }

    private @Nullable Failure of(int rank) {
        if (isForgiven(rank)) return null;
        State state = status.state(rank);
        long pid = hosts[rank].isEmpty() ? status.pid(rank) : remotePids[rank];
        String host = hosts[rank];
        int code = ended.get(rank) ? codes[rank] : UNKNOWN;
        if (state == State.FAILED) {
            int said = status.exitCode(rank);
            return new Failure(
                    rank,
                    pid,
                    host,
                    ExitCode.ofFailure(code > 0 ? code : said),
                    status.failedAtNanos(rank),
                    summary(status.text(rank)) + inTask(rank));
        }
        if (!ended.get(rank)) return null;
        long at = exitedAtNanos[rank];
        if (code > 0) return new Failure(rank, pid, host, code, at, JobText.exit(code) + inTask(rank));
        if (state == State.LEFT) return null;
        String how = code == 0 ? " (code 0)" : " (exit code unknown)";
        if (isIn(state)) {
            BitSet others = joinedAndRunning();
            how += inTask(rank);
            String meanwhile = others.isEmpty() ? "" : ", while " + JobText.ranks(others) + " still ran";
            String close = code == 0 ? "; each rank must call Mpi.close" : "";
            return new Failure(rank, pid, host, 1, at, "it ended" + how + " without Mpi.close" + meanwhile + close);
        }
        BitSet waiting = joinedAndRunning();
        if (waiting.isEmpty()) return null;
        return new Failure(
                rank,
                pid,
                host,
                1,
                at,
                "it ended" + how + " without " + (isPool ? "RankPool.run" : "Mpi.init") + ", while "
                        + JobText.wait(waiting) + " for it");
    }

    /// Returns a description of the task that a pool's worker was executing.
    private String inTask(int rank) {
        String task = status.task(rank);
        return task.isEmpty() ? "" : " in " + task;
    }

    private BitSet joinedAndRunning() {
        BitSet ranks = new BitSet();
        for (int r = 0; r < status.size(); r++) if (!ended.get(r) && isIn(status.state(r))) ranks.set(r);
        return ranks;
    }

    /// Whether a rank in this state depends on the other ranks.
    private static boolean isIn(State state) {
        return state == State.JOINING || state == State.JOINED;
    }

    /// Returns the message of an exception on the status page, and the first line of the user's code in the
    /// stack; if the stack contains no user's code, the first line of the stack.
    static String summary(String text) {
        int end = text.indexOf("\n\tat ");
        if (end < 0) return text.strip().replace('\n', ' ');
        String what = text.substring(0, end).replace('\n', ' ');
        String top = null;
        for (int at = end; at >= 0; ) {
            int from = at + "\n\tat ".length();
            int to = text.indexOf('\n', from);
            String frame = to < 0 ? text.substring(from) : text.substring(from, to);
            if (top == null) top = frame;
            if (isUsers(frame)) {
                top = frame;
                break;
            }
            at = to >= 0 && text.startsWith("\n\tat ", to) ? to : -1;
        }
        return what + " at " + top;
    }

    private static boolean isUsers(String frame) {
        // java.base/java.util…, app//org.example…
        String name = frame.substring(frame.lastIndexOf('/', Math.max(0, frame.indexOf('('))) + 1);
        return !name.startsWith("java.")
                && !name.startsWith("jdk.")
                && !name.startsWith("sun.")
                && !name.startsWith("org.tutti.")
                && !name.startsWith("org.bytedeco.") // libtorch's bindings, which rethrow the exceptions
                && !name.startsWith("ai.djl.")
                && !isOfDropIn(name);
    }

    /// Whether the frame is in package `mpi` itself: `mpi.Comm.send(`.
    private static boolean isOfDropIn(String name) {
        return name.matches("mpi\\.[^.(]+\\.[^.(]+\\(.*");
    }
}
