package org.tutti.launch.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.process.ApiNames;
import org.tutti.job.signal.Signals;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.JobText;
import org.tutti.launch.output.RankOutput;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.ClassPath;
import org.tutti.launch.program.Program;
import org.tutti.launch.run.Run;
import org.tutti.launch.watch.JobExamination;
import org.tutti.launch.watch.StallMonitor;

/// One try of a job, from the start to the end of the last process. Contains the rules for the end of a job,
/// common to all launchers of ranks.
///
///     running ──all ranks exited with 0──▶ drain ──▶ exit code 0
///        ├── first failure ── collectNanos ──▶ stop ──▶ drain ──▶ print the cause last ──▶ exit code of the cause
///        ├── message of StallMonitor ──▶ stop ──▶ drain ──▶ print the message last ──▶ 1
///        ├── SIGTERM, Ctrl-C ──▶ SIGTERM to all ranks ──▶ `--grace` ──▶ stop ──▶ drain ──▶ 143, 130
///        └── timeout, stdout closed or full ──▶ stop ──▶ drain ──▶ 124, 141 or 1
///
/// A full disk under the output file of a rank does not end the job, but the exit code is at least 1.
abstract class Job {
    private static final int DEADLOCK = 1;
    private static final int OUTPUT_LOST = 1;
    private static final int TIMED_OUT = 124;
    private static final int BROKEN_PIPE = 141;
    private static final int INTERRUPTED = 130;
    private static final long POLL_MILLIS = 250;
    private static final long GRACE_POLL_MILLIS = 20;
    private static final long GRACE_NOTE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORT_JOB_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long QUIET_PIPE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /// Maximum time for which the shutdown hook waits for the end of the job; longer than the time to stop
    /// remote ranks.
    private static final long HOOK_SECONDS = 15;

    /// One start of a job.
    ///
    /// @param number 0, 1, …
    /// @param beganNanos the time at which the first try began
    record Try(int number, long beganNanos) {}

    /// The outcome of a try.
    ///
    /// @param text the final message; empty for none
    /// @param ofARank whether a rank failed after starting the program, so that a restart may succeed
    record End(int code, String text, boolean ofARank) {}

    final Run run;
    final Try attempt;
    final List<Program> programs;
    final Bindings bindings;
    final JobStatus status;
    final RankOutcomes outcome;
    final RankOutput output;
    final JobExamination examination;
    private final CountDownLatch done = new CountDownLatch(1);
    private long startedAtNanos;
    private boolean interrupted;
    private boolean stdoutBroken;
    private @Nullable StallMonitor stalls;
    private final @Nullable Debugger debugger;

    /// Null if the job was started by a program instead of `tutti run`, because the program handles signals
    /// itself.
    private final @Nullable LauncherSignals signals;

    /// The ranks to which SIGUSR1 need not be forwarded: all ranks, until the launcher receives SIGUSR1; then
    /// the ranks that have received it or have finished.
    private final BitSet notified = new BitSet();

    /// The time during which a rank waited for a debugger or had one attached; excluded from `--timeout` and
    /// `--stall`.
    private long heldNanos;

    private long polledAtNanos;
    private boolean held;

    Job(
            Run run,
            List<Program> programs,
            Bindings bindings,
            JobStatus status,
            Try attempt,
            @Nullable LauncherSignals signals) {
        this.signals = signals;
        this.run = run;
        this.attempt = attempt;
        this.programs = programs;
        this.bindings = bindings;
        this.status = status;
        this.outcome = new RankOutcomes(
                status, run.isOfPool(), run.isOfPool() && run.engine().isShm());
        this.examination =
                new JobExamination(run.output().directory(), run.firstRank(), run.isOfSeveralNodes(), status);
        notified.set(0, run.size());
        this.output =
                new RankOutput(run.output(), run.firstRank(), run.size(), attempt.number() > 0, this::breakStdout);
        this.debugger = run.ranks().debugging() == null
                ? null
                : new Debugger(run.ranks().debugging(), status, output::say);
    }

    abstract void start() throws IOException;

    /// Polls for events that are not signaled. Called a few times per second.
    abstract void poll();

    /// Whether a native launcher binds the ranks; the native launcher then also reports the binding.
    boolean isPlacedByLauncher() {
        return false;
    }

    /// Whether every process of the job has ended.
    abstract boolean over();

    /// Returns how long the launcher waits, after the first sign of a failure, for reports of earlier failures.
    abstract long collectNanos();

    /// Ends every process, first with SIGTERM. Returns when all processes have ended, or after a time limit.
    abstract void stop() throws InterruptedException;

    /// Sends SIGTERM to the ranks, so that they can end in an orderly way. Repeated calls signal the ranks that
    /// have started since the last call, and record the processes that ranks have started.
    abstract void terminate() throws IOException;

    /// Returns the ranks that have received SIGTERM and are still running.
    abstract BitSet terminating();

    /// Returns the process of a rank on this machine; null if it has not started, has ended, or is unknown.
    abstract @Nullable ProcessHandle process(int rank);

    /// Marks the end of the streams of the ranks, so that the launcher can read the output to the end. Called
    /// when the ranks have ended, before the rest of the output is read.
    void sealOutput() {}

    /// Removes files that other software has left. Called after all processes of the job have ended.
    void sweep() {}

    /// Returns the failure of a finished job, including failures detected at the end; null after success.
    abstract RankOutcomes.@Nullable Failure verdict() throws InterruptedException;

    /// Runs the try. Calls `printResult`, which prints the final message, before the shutdown hook lets this
    /// process end.
    final End run(Consumer<End> printResult) throws IOException, InterruptedException {
        Thread hook = new Thread(this::interrupt, "tutti-interrupt");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) { // the JVM has started to exit between two tries
            End end = new End(INTERRUPTED, "interrupted", false);
            printResult.accept(end);
            return end;
        }
        status.program(run.title());
        startedAtNanos = System.nanoTime();
        try {
            if (attempt.number() == 0) printNotes();
            if (signals != null) signals.prepare();
            start();
            if (signals != null) signals.listen(this::wake);
            End end = end();
            printResult.accept(end);
            return end;
        } catch (Throwable t) { // no rank may survive an error of the launcher
            try {
                stop();
            } catch (Throwable again) {
                t.addSuppressed(again);
            }
            throw t;
        } finally {
            sealOutput();
            sweep();
            done.countDown();
            forget(hook);
            examination.close();
        }
    }

    /// Prints notes for the user before the ranks of the first try start.
    private void printNotes() {
        for (Program program : programs) {
            List<String> missing = ClassPath.missing(program.spec().classPath());
            if (!missing.isEmpty()) {
                output.say("-cp: " + ClassPath.notThere(missing) + " not there, which Java ignores");
            }
        }
        if (!run.placement().binding().report() || isPlacedByLauncher()) return;
        for (int rank = 0; rank < run.size(); rank++) output.say(bindings.report(rank, run.firstRank()));
    }

    /// Prints a message of the launcher, unless it is empty.
    final void say(String text) {
        if (!text.isEmpty()) output.say(ApiNames.inJob(run.ranks().env(), text));
    }

    /// Prints the message of the end, unless it is empty.
    final void printEnd(End end, String text) {
        if (end.code() == 0 || end.code() == INTERRUPTED) say(text);
        else if (!text.isEmpty()) output.printFailure(ApiNames.inJob(run.ranks().env(), text));
    }

    final boolean isJava(int rank) {
        int end = 0;
        for (Program program : programs) {
            end += program.spec().size();
            if (rank < end) return !(program instanceof Program.Other);
        }
        return true;
    }

    /// Whether the rank is known to have started the program; for -1, whether any rank is.
    private boolean hasStarted(int rank) {
        if (rank >= 0 && isJava(rank)) return status.state(rank) != JobStatus.State.ABSENT;
        if (rank >= 0) return true;
        for (int r = 0; r < run.size(); r++) {
            if (status.state(r) != JobStatus.State.ABSENT || outcome.hasFinished(r)) return true;
        }
        return false;
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the hook is already running
        }
    }

    private End end() throws IOException, InterruptedException {
        Duration timeout = run.limits().timeout();
        long before = startedAtNanos - attempt.beganNanos();
        long deadline = timeout == null ? Long.MAX_VALUE : timeout.toNanos() - before;
        long collected = Long.MAX_VALUE;
        while (true) {
            poll();
            examination.grant();
            long now = System.nanoTime() - startedAtNanos;
            if (isInterrupted()) {
                BitSet stopped = stopAll();
                return new End(INTERRUPTED, "interrupted" + andStopped(stopped), false);
            }
            if (signals != null && signals.name() != null) return endBySignal(signals);
            if (signals != null && signals.takeNotice()) notified.clear();
            passOnNotice();
            if (isStdoutBroken()) {
                BitSet stopped = stopAll();
                String why = output.failure();
                if (why == null) return new End(BROKEN_PIPE, "", false);
                return new End(OUTPUT_LOST, why + ": exit code " + OUTPUT_LOST + andStopped(stopped), false);
            }
            if (over()) {
                RankOutcomes.Failure failure = verdict();
                if (failure != null) stop(); // ends processes that the native launcher may not have ended
                return report(failure, new BitSet());
            }
            if (now >= collected) {
                RankOutcomes.Failure first = outcome.first();
                BitSet stopped = stopAll();
                return report(first, stopped);
            }
            hold(now);
            if (now - heldNanos >= deadline) {
                List<String> lines = activityReport();
                BitSet stopped = stopAll();
                lines.forEach(output::say);
                String time = JobText.seconds(deadline + before);
                return new End(TIMED_OUT, "its time of " + time + " is over (--timeout)" + andStopped(stopped), false);
            }
            if (collected == Long.MAX_VALUE && outcome.first() != null) collected = now + collectNanos();
            String deadlock = collected == Long.MAX_VALUE ? deadlock(now - heldNanos) : null;
            if (deadlock != null) {
                BitSet stopped = stopAll();
                String code = ": exit code " + DEADLOCK + " after " + JobText.seconds(now);
                return new End(DEADLOCK, deadlock + code + andStopped(stopped), false);
            }
            await(Math.min(deadline - (now - heldNanos), collected - now));
        }
    }

    /// Waits up to `--grace` for the ranks to end. A second signal, or the end of the grace period, kills the
    /// ranks. If a rank fails during the grace period, the other ranks are stopped.
    private End endBySignal(LauncherSignals asked) throws IOException, InterruptedException {
        BitSet running = outcome.stopping();
        String name = asked.name();
        long grace = run.limits().grace().toNanos(), began = System.nanoTime();
        long asksAtNanos = 0, failedAtNanos = Long.MAX_VALUE;
        boolean isNoted = false;
        while (grace > 0 && !over() && !asked.isImpatient() && !isInterrupted()) {
            poll();
            examination.grant();
            long since = System.nanoTime() - began;
            if (since >= asksAtNanos) {
                terminate();
                asksAtNanos = since + TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS);
            }
            BitSet left = terminating();
            if (left.isEmpty() || since >= grace) break;
            if (!hasFailedAloud()) failedAtNanos = Long.MAX_VALUE;
            else if (failedAtNanos == Long.MAX_VALUE) failedAtNanos = since;
            if (failedAtNanos < since - collectNanos()) break;
            if (!isNoted && since > GRACE_NOTE_NANOS) {
                say(name + ": " + have(left) + JobText.seconds(grace) + " to end (--grace); a second signal kills "
                        + (left.cardinality() == 1 ? "it" : "them"));
                isNoted = true;
            }
            synchronized (this) {
                if (!asked.isImpatient()) wait(GRACE_POLL_MILLIS);
            }
        }
        RankOutcomes.Failure failure = hasFailedAloud() ? outcome.first() : null;
        boolean isOver = asked.isImpatient() || System.nanoTime() - began >= grace;
        BitSet left = grace > 0 ? terminating() : running;
        status.ends();
        if (grace > 0 && isOver && !left.isEmpty()) kill();
        stop();
        drain();
        String end = name != null && name.equals("SIGINT") ? "interrupted" : "terminated by " + name;
        if (failure != null) end += "; rank " + worldRank(failure.rank()) + " failed first: " + failure.cause();
        if (grace == 0 || !isOver) return new End(asked.code(), end + andStopped(left), false);
        String why = asked.isImpatient() ? " (second signal)" : " after " + JobText.seconds(grace) + " (--grace)";
        if (!left.isEmpty()) end += "; " + JobText.were(worldRanks(left)) + " killed" + why;
        return new End(asked.code(), end, false);
    }

    /// Returns whether a rank has reported a failure that was not caused by the death of a different rank.
    private boolean hasFailedAloud() {
        if (!status.hasFailed()) return false;
        for (int rank = 0; rank < run.size(); rank++) {
            JobStatus.State state = status.state(rank);
            boolean isExplained = state == JobStatus.State.FAILED || state == JobStatus.State.LEFT;
            if (outcome.hasFinished(rank) && !isExplained) return false;
        }
        return true;
    }

    private String have(BitSet ranks) {
        return JobText.ranks(worldRanks(ranks)) + (ranks.cardinality() == 1 ? " has " : " have ");
    }

    /// Kills all ranks of this machine and the processes that ranks have started.
    private void kill() throws InterruptedException {
        List<ProcessHandle> ranks = new ArrayList<>();
        for (int rank = 0; rank < run.size(); rank++) {
            ProcessHandle process = process(rank);
            if (process != null) ranks.add(process);
        }
        ProcessTermination.all(ranks, 0);
    }

    /// Forwards SIGUSR1 to the ranks that have installed a handler. Each other rank receives the signal as soon
    /// as it has installed a handler.
    private void passOnNotice() {
        if (notified.cardinality() == run.size()) return;
        for (int rank = notified.nextClearBit(0); rank < run.size(); rank = notified.nextClearBit(rank + 1)) {
            if (outcome.hasFinished(rank)) notified.set(rank);
            ProcessHandle process = process(rank);
            if (process == null || !process.isAlive()) continue;
            if (!Signals.isHandled(process.pid(), Signals.NUMBER_OF_USR1)) continue;
            OsPlatform.open().signal(process.pid(), Signals.NUMBER_OF_USR1);
            notified.set(rank);
        }
    }

    /// Suspends `--timeout` and `--stall` while a rank waits for a debugger or has one attached.
    private void hold(long now) {
        held = debugger != null && debugger.holds(outcome);
        if (held) {
            heldNanos += now - polledAtNanos;
            if (stalls != null) stalls.forget();
        }
        polledAtNanos = now;
    }

    /// Returns the report about a job that has exceeded the time limit.
    private List<String> activityReport() throws InterruptedException {
        JobExamination.Findings findings = examination.ask();
        List<String> lines = new ArrayList<>(run.isOfSeveralNodes() ? List.of() : examination.page(findings));
        lines.add(examination.report("its time is over", findings));
        return lines;
    }

    /// Returns the message of [StallMonitor#check], with which the job must end. Returns null if the job
    /// continues. Does not check the job in the first second, with `--stall 0`, and while a debugger suspends the
    /// time limits.
    private @Nullable String deadlock(long runningNanos) throws InterruptedException {
        if (run.limits().stall().isZero() || runningNanos < SHORT_JOB_NANOS) return null;
        if (stalls == null)
            stalls = new StallMonitor(
                    status,
                    run.limits().stall().toNanos(),
                    output::say,
                    examination,
                    run.limits().stallAbort(),
                    run.placement().elsewhere());
        return held ? null : stalls.check();
    }

    private End report(RankOutcomes.@Nullable Failure failure, BitSet stopped) throws InterruptedException {
        if (stopped.isEmpty()) drain();
        if (failure == null) {
            String lost = output.failure();
            if (lost == null) return new End(0, "", false);
            return new End(OUTPUT_LOST, "all ranks ended well, but " + lost + ": exit code " + OUTPUT_LOST, false);
        }
        boolean known = failure.rank() >= 0;
        if (known) stopped.clear(failure.rank());
        if (known) examination.failure(failure.cause()).forEach(output::say);
        StringBuilder text = new StringBuilder();
        if (known) text.append("rank ").append(worldRank(failure.rank())).append(" failed first: ");
        text.append(failure.cause()).append(": exit code ").append(failure.exitCode());
        text.append(" after ").append(JobText.seconds(failure.atNanos() - startedAtNanos));
        if (failure.pid() != 0 || !failure.host().isEmpty()) {
            text.append(failure.pid() == 0 ? " (" : " (pid " + failure.pid());
            if (!failure.host().isEmpty())
                text.append(failure.pid() == 0 ? "on " : " on ").append(failure.host());
            text.append(')');
        }
        text.append(andStopped(stopped));
        if (run.output().directory() != null && known) {
            text.append("; log: ")
                    .append(run.output().directory().resolve("rank-" + worldRank(failure.rank()) + ".err"));
        }
        return new End(failure.exitCode(), text.toString(), hasStarted(failure.rank()));
    }

    private int worldRank(int rank) {
        return run.firstRank() + rank;
    }

    private BitSet stopAll() throws InterruptedException {
        BitSet stopped = outcome.stopping();
        status.ends();
        stop();
        drain();
        return stopped;
    }

    private void drain() throws InterruptedException {
        sealOutput();
        output.drain(QUIET_PIPE_NANOS);
    }

    private String andStopped(BitSet stopped) {
        if (stopped.isEmpty()) return "";
        return "; " + JobText.were(worldRanks(stopped)) + " stopped";
    }

    private BitSet worldRanks(BitSet ranks) {
        BitSet shown = new BitSet();
        ranks.stream().forEach(rank -> shown.set(worldRank(rank)));
        return shown;
    }

    private synchronized void await(long nanos) throws InterruptedException {
        if (interrupted || stdoutBroken || signals != null && signals.name() != null || over()) return;
        wait(Math.clamp(TimeUnit.NANOSECONDS.toMillis(nanos) + 1, 1, POLL_MILLIS));
    }

    /// Ends the current wait so that the state is checked immediately.
    final synchronized void wake() {
        notifyAll();
    }

    private synchronized void breakStdout() {
        stdoutBroken = true;
        notifyAll();
    }

    private synchronized boolean isStdoutBroken() {
        return stdoutBroken;
    }

    private synchronized boolean isInterrupted() {
        return interrupted;
    }

    /// Ends the job before the JVM exits: requests the end, and waits for it at most 15 s.
    private void interrupt() {
        synchronized (this) {
            interrupted = true;
            notifyAll();
        }
        try {
            done.await(HOOK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
