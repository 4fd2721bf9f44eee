package org.tutti.libmpi;

import static org.tutti.libmpi.raw.CollectiveFunctions.MPI_Ibarrier;
import static org.tutti.libmpi.raw.Constants.MPI_COMM_WORLD;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Abort;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Finalize;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Test;

import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.process.ExitCode;
import org.tutti.job.process.RankProcess;
import org.tutti.libmpi.boot.PmiFinalization;
import org.tutti.spi.Fault;
import org.tutti.spi.JobControl;
import org.tutti.spi.PredefinedErrorClass;

/// The end of a rank: the library is finalized, or the launcher handles the end, or the job is aborted.
///
/// | end of the process | action |
/// |---|---|
/// | after a clean leave | the hook waits for all ranks, with sleeps, then `MPI_Finalize`, or [PmiFinalization] |
/// | uncaught exception | [RankProcess] calls `MPI_Abort` with a time limit |
/// | `System.exit` before the leave, Open MPI | none: mpirun ends the job with the exit code, or 1 if it is 0 |
/// | the same, MPICH, srun | `MPI_Abort` with 1: mpiexec treats code 0 as success, and kills silently; srun waits |
/// | the same, under `tutti run` | none: it detects the end and the exit code |
///
/// The wait for all ranks has no time limit: a slow rank is not an error, and if a rank fails, the launcher
/// ends the other ranks. A shutdown hook does not know the exit code, so with MPICH's mpiexec and with srun,
/// `System.exit(3)` before the leave ends the job with exit code 1.
final class Shutdown implements JobControl {
    private static final int UNCLEAN = 1;

    private final Launcher launcher;
    private final int worldSize;
    private final NativeComm world;
    private final LibraryIdleStrategy waiter;
    private final @Nullable PmiFinalization farewell;

    /// The windows of this rank; null until the rank creates one.
    private volatile @Nullable NativeWindows windows;

    private volatile boolean left;
    private volatile boolean aborting;
    private volatile boolean over;
    private volatile @Nullable Fault poison;

    /// @param farewell the finalization used instead of `MPI_Finalize`; null if `MPI_Finalize` is used
    Shutdown(
            Launcher launcher,
            int worldSize,
            NativeComm world,
            LibraryIdleStrategy waiter,
            @Nullable PmiFinalization farewell) {
        this.launcher = launcher;
        this.worldSize = worldSize;
        this.world = world;
        this.waiter = waiter;
        this.farewell = farewell;
    }

    /// Registers the shutdown hook.
    void begin() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "tutti-libmpi-end"));
        RankProcess rank = RankProcess.current();
        if (rank != null) rank.onFailure(this::abort);
    }

    /// Sets the windows to be freed when all ranks have left, before the library is finalized.
    void endsWith(NativeWindows made) {
        windows = made;
    }

    @Override
    public void leave() {
        left = true;
    }

    @Override
    public void fail(Fault why) {
        if (poison == null) poison = why;
    }

    @Override
    public @Nullable Fault poison() {
        return poison;
    }

    void throwPoison() {
        Fault failed = poison;
        if (failed != null) throw failed;
    }

    @Override
    public void abort(int code, String why) {
        abort(code);
    }

    /// Returns whether the library must not be called any more.
    boolean isOver() {
        return over;
    }

    /// Ends all ranks. In some libraries, `MPI_Abort` returns.
    void abort(int failureCode) {
        int code = ExitCode.ofFailure(failureCode);
        aborting = true;
        over = true;
        MPI_Abort(MPI_COMM_WORLD, code);
        Runtime.getRuntime().halt(code);
    }

    private void end() {
        RankProcess rank = RankProcess.current();
        if (rank != null) rank.ends();
        boolean failed = aborting || rank != null && rank.failed();
        if (failed) return;
        if (left) {
            waitForAll();
            checkReceived(rank);
            NativeWindows made = windows;
            if (made != null) made.end();
            over = true;
            if (farewell == null || !farewell.report()) {
                Types.freeElements();
                MPI_Finalize();
            }
        } else if (!launcherMinds()
                && worldSize > 1
                && (rank == null || rank.jobStatus() == null && !rank.isRemote())) {
            abort(UNCLEAN);
        }
    }

    /// Ends the job if there is an unreceived message. A message that arrives after this rank has left is an
    /// error of the program, like a message that arrived before and was not received.
    private void checkReceived(@Nullable RankProcess rank) {
        String lost = rank == null ? null : rank.unreceived();
        if (rank == null || lost == null) return;
        String text = Fault.argument(
                        PredefinedErrorClass.ERR_PENDING,
                        "close",
                        lost
                                + ", and arrived after the receiver had closed; every message must be received before close",
                        world)
                .toString();
        System.err.println(text);
        rank.aborts(UNCLEAN, text);
        abort(UNCLEAN);
    }

    /// Returns whether the launcher ends the job if a rank ends before finalization.
    private boolean launcherMinds() {
        return switch (launcher) {
            case NONE, TUTTI, OPEN_MPI -> true;
            case HYDRA, SLURM, PMIX -> false;
        };
    }

    /// Waits in a barrier with sleeps, because `MPI_Finalize` would spin until the slowest rank arrives. Has no
    /// effect in a job with programs in other languages, which do not call this barrier.
    private void waitForAll() {
        NativeScratch s = NativeScratch.take();
        if (world.isMixed() || MPI_Ibarrier(world.shadow, s.request) != 0) return;
        waiter.begin(s);
        for (int round = 0; MPI_Test(s.request, s.flag, s.status) == 0 && !s.flag(); round++) waiter.pause(s, round, 0);
    }
}
