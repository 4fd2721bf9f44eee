package org.tutti.job.process;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.SupportedSystem;
import org.tutti.job.signal.Signals;
import org.tutti.job.signal.Termination;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.ReportLine;
import org.tutti.job.status.WaitLines;
import org.tutti.job.status.WaitReporter;

/// This process as a rank, from its first line to its last report. There is one object per process. It works
/// under Tutti's launcher, under `mpirun java`, and without a launcher.
///
///     begin ──▶ STARTED ──joined──▶ JOINED ──left──▶ LEFT
///                  └──── an exception that reaches its thread's end ────▶ FAILED
///
/// An uncaught exception on any thread ends the process with code 1, regardless of other threads and shutdown
/// hooks, because the other ranks wait for this one. The reason is written to the job status, the stack trace
/// is printed as Java prints it, the engine ends the job, and the process exits within a time limit.
public final class RankProcess implements Thread.UncaughtExceptionHandler {
    private static final int FAILURE_CODE = 1;
    private static final long TIME_BOX_MILLIS = 1000;
    private static final long READ_MILLIS = 150;

    /// The pause before the job is ended, if the launcher is on a different machine. During the pause, the
    /// launcher reads the reason of the failure; if the reason is the death of a different rank, the shell of
    /// that rank can report the exit code.
    private static final long READ_ELSEWHERE_MILLIS = 600;

    private static @Nullable RankProcess current;

    private final int rank;

    /// Whether the launcher is Tutti's but runs on a different machine, so that this rank has no access to the
    /// job status.
    private final boolean remote;

    private final @Nullable JobFile file;
    private final @Nullable JobStatus jobStatus;
    private final RankWatch watch;

    /// Sends lines to a launcher on a different machine; null if the launcher is on this machine, or if there
    /// is no launcher.
    private final @Nullable WaitLines lines;

    /// Messages to be printed if the process ends without a failure.
    private final List<String> notes = new ArrayList<>();

    private final AtomicBoolean failed = new AtomicBoolean();
    private volatile @Nullable IntConsumer abortAction;
    private volatile Supplier<@Nullable String> unreceived = () -> null;
    private volatile boolean joined;
    private volatile boolean left;
    private @Nullable Runnable endAction;

    /// Memory that is released when the process fails, so that an OutOfMemoryError can be reported.
    private byte @Nullable [] reserve = new byte[1 << 18];

    private RankProcess(int rank, boolean remote, @Nullable JobFile file, @Nullable JobStatus jobStatus) {
        this.rank = rank;
        this.remote = remote;
        this.file = file;
        this.jobStatus = jobStatus;
        watch = new RankWatch(rank, jobStatus);
        lines = remote ? new WaitLines(rank, watch::stacks) : null;
    }

    /// Registers this process as a rank: claims the rank's page of the job status, and installs a handler for
    /// uncaught exceptions. A second call returns the same object.
    ///
    /// @throws JobException if a different process has claimed the page, if the job's file no longer exists, or
    ///     if a launcher has started this process on a system on which ranks cannot be processes
    public static synchronized RankProcess begin(RankEnvironment place) {
        RankProcess process = current;
        if (process != null) return process;
        String refusal = place.launcher() == RankEnvironment.Launcher.NONE ? null : SupportedSystem.refusal();
        if (refusal != null) throw new JobException(refusal);
        JobFile file = open(place);
        JobStatus jobStatus = file == null ? null : attach(file, place);
        boolean remote = place.job() != null && !RankEnvironment.jobIsHere();
        process = new RankProcess(place.rank(), remote, file, jobStatus);
        if (jobStatus != null) claim(jobStatus, place);
        if (remote) process.reportBeginAndEnd();
        Thread.setDefaultUncaughtExceptionHandler(process);
        if (place.launcher() != RankEnvironment.Launcher.NONE) process.prepareForSignals(place.job() == null);
        if (jobStatus != null) process.watch.start();
        current = process;
        return process;
    }

    private void reportBeginAndEnd() {
        ReportLine.state(rank, JobStatus.State.STARTED);
        WaitLines to = lines;
        if (to != null) Runtime.getRuntime().addShutdownHook(new Thread(() -> reportEnd(to), "tutti-last-calls"));
    }

    private void prepareForSignals(boolean isSeparate) {
        JobStatus status = jobStatus;
        Termination.ofThisProcess().ofRank(() -> failed() || status != null && status.hasFailed(), this::print);
        // ranks that Tutti's launcher starts inherit this setting from the launcher
        if (isSeparate && !Signals.isIgnored(Signals.NUMBER_OF_USR1)) Signals.ignore(Signals.USR1);
        watch.listensToSignals();
    }

    /// Returns the rank of this process; null before [#begin].
    public static synchronized @Nullable RankProcess current() {
        return current;
    }

    private static @Nullable JobFile open(RankEnvironment place) {
        String path = place.job();
        if (path == null || place.launcher() == RankEnvironment.Launcher.NONE || !RankEnvironment.jobIsHere())
            return null;
        try {
            return JobFile.attach(path);
        } catch (IOException e) {
            // no error: a native MPI's launcher may start a rank after Tutti's launcher has ended
            if (place.launcher() != RankEnvironment.Launcher.TUTTI) return null;
            throw new JobException("the job's shared memory, " + RankEnvironment.JOB + "=" + path
                    + ", cannot be opened (" + e + "): the launcher has ended, or has not started this process");
        }
    }

    private static JobStatus attach(JobFile file, RankEnvironment place) {
        try {
            return JobStatus.attach(file, place.size());
        } catch (IOException e) {
            throw new JobException(String.valueOf(e.getMessage()));
        }
    }

    private static void claim(JobStatus jobStatus, RankEnvironment place) {
        long me = ProcessHandle.current().pid();
        long other = jobStatus.claim(place.rank(), me);
        if (other == 0) return;
        throw new JobException(
                "this process (pid " + me + ") has the environment of rank " + place.rank() + " (pid " + other
                        + "), which started it, but is not a rank itself; unset "
                        + (place.launcher() == RankEnvironment.Launcher.TUTTI
                                ? RankEnvironment.RANK + ", " + RankEnvironment.SIZE + " and " + RankEnvironment.JOB
                                : RankEnvironment.JOB + " and the variables of " + place.launcher())
                        + " to run it without a launcher");
    }

    /// Returns the job's shared memory; null if Tutti's launcher has not started this process, or is on a
    /// different machine.
    public @Nullable JobFile jobFile() {
        return file;
    }

    /// Returns the status pages for reports to the launcher; null if Tutti's launcher has not started this
    /// process, or is on a different machine.
    public @Nullable JobStatus jobStatus() {
        return jobStatus;
    }

    /// Returns the watch thread, which works while the program's threads wait.
    public RankWatch watch() {
        return watch;
    }

    /// Returns the reporter of this rank's waits; null if Tutti's launcher has not started this process.
    public @Nullable WaitReporter waits() {
        return jobStatus != null ? jobStatus.waits(rank) : lines;
    }

    /// Sets the flight recorder. A launcher on a different machine receives the recorded operations together
    /// with this rank's waits, and at the end. On the same machine, the launcher reads the recorder directly.
    public void records(FlightRing operations) {
        if (lines != null) lines.record(operations);
    }

    /// Reports the end of a rank that has not left, with the last operations. The report must precede the end of
    /// the process, because other ranks then fail, and their reports may arrive before the exit code of this rank.
    /// Called by a shutdown hook, even if the native launcher ends this rank because a different rank has failed.
    private void reportEnd(WaitLines to) {
        if (left || failed()) return;
        ReportLine.terminates(rank);
        to.sendOperations();
    }

    /// Called when `Mpi.init` has started. This state is reported because some engines wait for the other ranks
    /// in `Mpi.init`.
    public void joining() {
        watch.initialises();
        report(JobStatus.State.JOINING);
    }

    /// Called when `Mpi.init` has completed.
    public void joined() {
        joined = true;
        report(JobStatus.State.JOINED);
    }

    /// Called when `Mpi.close` has completed without an error.
    public void left() {
        left = true;
        report(JobStatus.State.LEFT);
        // the launcher needs the operations for its report if other ranks wait for operations that this rank
        // has not called
        if (lines != null && !failed()) lines.sendOperations();
    }

    private void report(JobStatus.State now) {
        if (failed()) return;
        if (jobStatus != null) jobStatus.state(rank, now);
        if (remote) ReportLine.state(rank, now);
    }

    private void reportFailure(int code, String text) {
        if (jobStatus != null) {
            jobStatus.fail(rank, code, text);
            jobStatus.firstFailed(rank);
        }
        if (lines == null) return;
        ReportLine.fail(rank, code, text);
        try {
            lines.sendOperations();
        } catch (Throwable t) {
            // there is no memory; the reason for the failure has already been reported
        }
    }

    /// See [JobStatus#tasks].
    public void tasks(long first, @Nullable String name) {
        if (jobStatus != null) jobStatus.tasks(rank, first, name);
    }

    /// See [JobStatus#started(int, long)].
    public void started(long word) {
        if (jobStatus != null) jobStatus.started(rank, word);
    }

    /// Called when the service has started to accept calls; see `tutti serve`.
    public void serves() {
        if (jobStatus != null) jobStatus.serves();
    }

    /// Returns whether this is rank 0 of a job of `tutti serve` in which no rank has started to accept calls
    /// yet.
    public boolean isToServe() {
        JobStatus b = jobStatus;
        return rank == 0
                && b != null
                && !b.hasServed()
                && RankEnvironment.parent() == null
                && ServiceSettings.isOf(b.launcherPid());
    }

    /// Returns whether the stderr of this process is visible only to the user of `tutti serve`, on a terminal.
    public boolean isOnTerminal() {
        JobStatus b = jobStatus;
        return b != null && ServiceSettings.isOnTerminalOf(b.launcherPid());
    }

    /// Returns whether Tutti's launcher started this process from a different machine.
    public boolean isRemote() {
        return remote;
    }

    public boolean hasJoined() {
        return joined;
    }

    public boolean hasLeft() {
        return left;
    }

    public boolean failed() {
        return failed.get();
    }

    /// Sets the function that reports users' messages that will never be received.
    public void audit(Supplier<@Nullable String> source) {
        unreceived = source;
    }

    /// Describes, as the text of an error, the users' messages that will never be received; returns null if
    /// there are none.
    public @Nullable String unreceived() {
        return unreceived.get();
    }

    /// Sets the action that runs once when the process ends without a failure, before an engine checks whether
    /// the rank has left.
    public synchronized void atEnd(Runnable action) {
        endAction = action;
        Runtime.getRuntime().addShutdownHook(new Thread(this::ends, "tutti-rank-end"));
    }

    /// Runs the action of [#atEnd], or waits until it is complete if a different thread runs it. Called by
    /// shutdown hooks, which run concurrently.
    public synchronized void ends() {
        Runnable action = endAction;
        endAction = null;
        if (action != null && !failed()) action.run();
    }

    /// Sets the action that ends the job after a failure; its argument is the exit code. The action, for
    /// example `MPI_Abort`, is needed if the end of this process does not end the job.
    public void onFailure(IntConsumer action) {
        abortAction = action;
    }

    /// Ends a rank after an uncaught exception. Prints and reports the exception, and does not return, except
    /// on a second thread that fails while the first thread ends the process.
    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        reserve = null;
        boolean first = failed.compareAndSet(false, true);
        boolean boxed = false;
        if (first) {
            reportFailure(failure);
            boxed = startTimeBox(FAILURE_CODE);
        }
        print(thread, failure);
        if (first) end(boxed);
    }

    /// Ends a rank after an exception that the program's handler has already printed: reports the exception,
    /// and ends the process.
    public void failedSilently(Throwable failure) {
        if (!failed.compareAndSet(false, true)) return;
        reportFailure(failure);
        end(startTimeBox(FAILURE_CODE));
    }

    /// Ends the process with the code of a failure (see [ExitCode]). The shutdown is orderly, unless it would
    /// last longer than a second.
    public void exit(int failureCode) {
        int code = ExitCode.ofFailure(failureCode);
        if (!startTimeBox(code)) Runtime.getRuntime().halt(code);
        System.exit(code);
    }

    /// Called when the program requests the end of the whole job: reports the reason before an engine ends the
    /// job.
    public void aborts(int code, String why) {
        if (failed.compareAndSet(false, true)) reportFailure(ExitCode.ofFailure(code), why);
    }

    /// Prints a message of Tutti on the process's stderr, even if the program has redirected `System.err`.
    public void print(String text) {
        FileOutputStream stderr = new FileOutputStream(FileDescriptor.err);
        try {
            stderr.write(("tutti: " + ApiNames.inRank(text) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // the reader has closed the stream
        }
    }

    private void end(boolean boxed) {
        try {
            if (!boxed) Runtime.getRuntime().halt(FAILURE_CODE);
            IntConsumer action = abortAction;
            if (action != null) {
                // when the job is aborted, a native launcher discards output that it has not yet read,
                // including the reason
                Thread.sleep(remote ? READ_ELSEWHERE_MILLIS : READ_MILLIS);
                action.accept(FAILURE_CODE);
            }
            System.exit(FAILURE_CODE);
        } catch (Throwable t) { // an error in here would leave the other ranks waiting
            Runtime.getRuntime().halt(FAILURE_CODE);
        }
    }

    private void reportFailure(Throwable failure) {
        if (jobStatus == null && !remote) return;
        String text;
        try {
            text = FailureReport.of(failure);
        } catch (Throwable t) { // no memory, or a toString() that fails
            text = failure.getClass().getName();
        }
        reportFailure(FAILURE_CODE, text);
    }

    private void print(Thread thread, Throwable failure) {
        try {
            String line = following(failure);
            String text = line == null ? FailureReport.trace(failure) : line + "\n";
            // printed in one piece, because a native launcher tags every piece that it reads
            System.err.print("Exception in thread \"" + thread.getName() + "\" " + NativeFrames.removed(text));
            System.err.flush();
        } catch (Throwable t) { // as the JDK reports a failed handler
            System.err.println(failure.getClass().getName() + " in thread " + thread.getName());
        }
    }

    /// Returns one line about a failure that is a consequence or a repetition of the failure of a different
    /// rank; null for any other failure.
    private @Nullable String following(Throwable failure) {
        JobStatus status = jobStatus;
        int first = status == null ? rank : status.firstFailed(rank);
        return status == null || first == rank ? null : FailureReport.following(failure, status.text(first), first);
    }

    /// Prints a message of Tutti when the process ends, unless it fails, because the message would then
    /// distract from the reason.
    public void reportAtEnd(String text) {
        synchronized (notes) {
            notes.add(text);
            if (notes.size() > 1) return;
        }
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(this::printNotes, "tutti-notes"));
        } catch (IllegalStateException e) {
            printNotes(); // the JVM is already ending
        }
    }

    /// Prints the messages of [#reportAtEnd], after the program has ended without a failure.
    public void printNotes() {
        List<String> all;
        synchronized (notes) {
            all = List.copyOf(notes);
            notes.clear();
        }
        if (!failed()) all.forEach(this::print);
    }

    /// Starts the thread that limits the time for the end of the process. Returns false if there is not enough
    /// memory for a thread.
    private static boolean startTimeBox(int code) {
        try {
            Thread.ofPlatform().daemon().name("tutti-time-box").start(() -> {
                try {
                    Thread.sleep(TIME_BOX_MILLIS);
                } catch (InterruptedException e) {
                    // then end the process without delay
                }
                Runtime.getRuntime().halt(code);
            });
            return true;
        } catch (Throwable t) {
            return false;
        }
    }
}
