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

/// What became of each rank, and the rules by which that is a failure. Of several the first in time counts, but
/// for those that follow from others.
final class RankOutcomes {
    /// The exit code of a process that somebody else waited for.
    static final int UNKNOWN = -1;

    /// By SIGKILL, by SIGABRT.
    private static final int KILLED = 137, ABORTED = 134;

    /// @param rank -1 if it is not known which
    /// @param pid 0 if it never had one, or nobody knows it
    /// @param host where it ran, if that is another machine than this; else empty
    /// @param exitCode what the launcher ends with
    /// @param cause why, in the rank's words or ours
    record Failure(int rank, long pid, String host, int exitCode, long atNanos, String cause) {
        /// Whether it may follow from the failure of a rank that has left.
        private boolean followsFromLeaving() {
            return ApiNames.contains(cause, JobStatus.LEFT_WORDS);
        }

        private Failure with(String note) {
            return new Failure(rank, pid, host, exitCode, atNanos, cause + note);
        }
    }

    /// A program for which `--pool` is not meant fails in ways that do not speak of it.
    private static final String NO_POOL =
            " (--pool: rank 0 alone runs the program, and had opened no pool; without it all ranks run it)";

    private final JobStatus board;
    private final BitSet ended = new BitSet();
    private final int[] codes;
    private final long[] endedAtNanos;
    private final String[] hosts;
    private final long[] remotePids;

    /// Whether rank 0 runs the program and the others its tasks; and whether the job goes on when one of those
    /// dies.
    private final boolean isPool;

    private final boolean outlivesWorkers;

    /// Whether the launcher ends what still runs: then nobody is lost.
    private boolean stopping;

    RankOutcomes(JobStatus board, boolean isPool, boolean outlivesWorkers) {
        this.board = board;
        this.isPool = isPool;
        this.outlivesWorkers = outlivesWorkers;
        codes = new int[board.size()];
        endedAtNanos = new long[board.size()];
        hosts = new String[board.size()];
        Arrays.fill(hosts, "");
        remotePids = new long[board.size()];
    }

    /// A rank on another machine.
    synchronized void runsOn(int rank, String host, long pid) {
        hosts[rank] = host;
        if (pid != 0) remotePids[rank] = pid;
    }

    synchronized void ended(int rank, int code) {
        if (ended.get(rank)) return;
        codes[rank] = code;
        endedAtNanos[rank] = System.nanoTime();
        ended.set(rank);
    }

    /// As [#ended]; true when that is a worker's death, which costs its tasks and not the job: then the others
    /// are
    /// told.
    synchronized boolean endedAndLost(int rank, int code) {
        if (ended.get(rank)) return false;
        State state = board.state(rank);
        ended(rank, code);
        if (!outlivesWorkers || rank == 0 || state == State.LEFT || !board.mayLoseWorkers()) return false;
        if (ended.get(0) || stopping) return false;
        String how = state == State.FAILED
                ? "ended by " + summary(board.text(rank))
                : code == KILLED ? "was killed (SIGKILL)" : "ended with exit code " + code;
        board.lose(rank, how);
        return true;
    }

    synchronized boolean hasEnded(int rank) {
        return ended.get(rank);
    }

    /// Whether only the board can tell that it failed, if it did.
    synchronized boolean endedWithZero(int rank) {
        return ended.get(rank) && codes[rank] == 0;
    }

    /// On how many machines every rank has ended, as far as ranks are known to run on them.
    synchronized int hostsThatEnded() {
        Set<String> all = new HashSet<>();
        Set<String> running = new HashSet<>();
        for (int rank = 0; rank < hosts.length; rank++) {
            all.add(hosts[rank]);
            if (!ended.get(rank)) running.add(hosts[rank]);
        }
        return all.size() - running.size();
    }

    synchronized boolean allEnded() {
        return ended.cardinality() == board.size();
    }

    /// The launcher ends the ranks that still run: those returned.
    synchronized BitSet stopping() {
        stopping = true;
        BitSet running = new BitSet();
        running.set(0, board.size());
        running.andNot(ended);
        return running;
    }

    /// The first failure that is known by now; null if all is well so far.
    synchronized @Nullable Failure first() {
        Failure first = null;
        for (int rank = 0; rank < board.size(); rank++) {
            Failure failure = of(rank);
            if (failure != null && (first == null || isBefore(failure, first))) first = failure;
        }
        return first != null && outlivesWorkers && !board.mayLoseWorkers() ? first.with(NO_POOL) : first;
    }

    /// A rank that waits for one that has left may say so before the one that left says why. And a library may
    /// abort at the sight of a killed peer faster than the killed one's shell tells of it; a `RankShell` waits a
    /// little then. It is never the other way round: who cleans up after an abort kills a rank together with its
    /// shell.
    private static boolean isBefore(Failure a, Failure b) {
        if (a.followsFromLeaving() != b.followsFromLeaving()) return b.followsFromLeaving();
        if (a.exitCode == KILLED && b.exitCode == ABORTED) return true;
        if (a.exitCode == ABORTED && b.exitCode == KILLED) return false;
        return a.atNanos - b.atNanos < 0;
    }

    /// Of a worker that fails, nothing is known before its process has ended: it may be one that the job
    /// outlives.
    private boolean isForgiven(int rank) {
        return outlivesWorkers && rank > 0 && board.mayLoseWorkers() && (!ended.get(rank) || board.isLost(rank));
    }

    private @Nullable Failure of(int rank) {
        if (isForgiven(rank)) return null;
        State state = board.state(rank);
        long pid = hosts[rank].isEmpty() ? board.pid(rank) : remotePids[rank];
        String host = hosts[rank];
        int code = ended.get(rank) ? codes[rank] : UNKNOWN;
        if (state == State.FAILED) {
            int said = board.exitCode(rank);
            return new Failure(
                    rank,
                    pid,
                    host,
                    ExitCode.ofFailure(code > 0 ? code : said),
                    board.failedAtNanos(rank),
                    summary(board.text(rank)) + inTask(rank));
        }
        if (!ended.get(rank)) return null;
        long at = endedAtNanos[rank];
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

    /// Of a pool's worker: which task it was in.
    private String inTask(int rank) {
        String task = board.task(rank);
        return task.isEmpty() ? "" : " in " + task;
    }

    private BitSet joinedAndRunning() {
        BitSet ranks = new BitSet();
        for (int r = 0; r < board.size(); r++) if (!ended.get(r) && isIn(board.state(r))) ranks.set(r);
        return ranks;
    }

    /// Whether a rank of this state counts on the others.
    private static boolean isIn(State state) {
        return state == State.JOINING || state == State.JOINED;
    }

    /// Of an exception's text on the board: what it says, and the first line of the user's code.
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
                && !name.startsWith("org.bytedeco.") // libtorch's bindings, which throw what it throws
                && !name.startsWith("ai.djl.")
                && !isOfDropIn(name);
    }

    /// `mpi.Comm.send(`: a class of package `mpi` itself.
    private static boolean isOfDropIn(String name) {
        return name.matches("mpi\\.[^.(]+\\.[^.(]+\\(.*");
    }
}
