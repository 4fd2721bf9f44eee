package org.tutti.launch.job;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.launch.program.Program;
import org.tutti.launch.run.Run;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// A world that a running rank has spawned: a separate job that uses the engine memory of the parents. The
/// launcher is a thread of the rank's process.
final class SpawnedWorld implements Runnable {
    private static final long POLL_MILLIS = 1;

    private final Run run;
    private final List<Program> programs;
    private final ObjIntConsumer<String> failed;
    private final CompletableFuture<Void> joined = new CompletableFuture<>();
    private volatile @Nullable JobStatus published;

    /// @param failed receives the reason and the exit code if the world fails after all ranks have joined
    SpawnedWorld(Run run, List<Program> programs, ObjIntConsumer<String> failed) {
        this.run = run;
        this.programs = programs;
        this.failed = failed;
    }

    /// Completes when all ranks have joined; fails if the job ends before that.
    CompletionStage<Void> joined() {
        return joined;
    }

    @Override
    public void run() {
        try {
            Job.End end = Launcher.runHere(run, programs, false, this::watch);
            if (end.code() == 0) failBefore("they have ended without Mpi.init");
            else if (!failBefore(end.text())) failed.accept(end.text(), end.code());
        } catch (Throwable t) { // the caller waits for any outcome
            if (!failBefore("they could not be started: " + t)) failed.accept("their launcher failed: " + t, 1);
        }
    }

    /// Fails [#joined], unless all ranks have joined already. Returns whether this call has failed [#joined].
    private boolean failBefore(String why) {
        JobStatus last = published;
        // the ranks may have joined and ended since the watcher's last check
        if (last != null && haveJoined(last)) joined.complete(null);
        return joined.completeExceptionally(
                Fault.argument(PredefinedErrorClass.ERR_SPAWN, "spawn", "the ranks did not join: " + why, null));
    }

    /// Starts a thread that completes [#joined] when all ranks have joined.
    private void watch(JobStatus status) {
        published = status;
        Thread.ofPlatform().daemon().name("tutti-joining").start(() -> {
            while (!joined.isDone() && !haveJoined(status)) {
                try {
                    Thread.sleep(POLL_MILLIS);
                } catch (InterruptedException e) {
                    return;
                }
            }
            joined.complete(null);
        });
    }

    private static boolean haveJoined(JobStatus status) {
        for (int rank = 0; rank < status.size(); rank++) {
            State state = status.state(rank);
            if (state != State.JOINED && state != State.LEFT) return false;
        }
        return true;
    }
}
