package org.tutti.libmpi;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.LauncherAgreement;
import org.tutti.libmpi.boot.Library;

/// Reports once if the start waits for other ranks for a long time. Some ranks may never call `Mpi.init`, or
/// may be programs in other languages that do not make the calls of this engine after `MPI_Init`. This is only
/// a report, because the ranks may still arrive.
final class StartWatch implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 10;

    private final RankEnvironment environment;
    private final Library library;
    private final long since = System.currentTimeMillis();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile String function = "MPI_Init_thread";

    StartWatch(RankEnvironment environment, Library library) {
        this.environment = environment;
        this.library = library;
        Thread.ofPlatform().daemon().name("tutti-start-watch").start(this::watch);
    }

    /// Sets the name of the next library call that may wait.
    void calls(String name) {
        function = name;
    }

    private void watch() {
        try {
            if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) System.err.println("tutti: " + report());
        } catch (InterruptedException e) {
            // in practice, this thread is never interrupted; after an interrupt, nothing is reported
        }
    }

    private String report() {
        String time = DateTimeFormatter.ofPattern("HH:mm:ss")
                .withZone(ZoneId.systemDefault())
                .format(Instant.ofEpochMilli(since));
        String size = environment.size() == 0 ? "" : " of " + environment.size();
        String text = "init: rank " + environment.rank() + size + " (host " + Host.name() + ", pid "
                + ProcessHandle.current().pid() + ", started by " + environment.launcher() + ") has waited since "
                + time
                + ", for " + PATIENCE_SECONDS + " s, in " + function + " of " + LauncherAgreement.name(library)
                + " for other ranks: a rank has not called Mpi.init, is delayed, or has ended";
        if (environment.javaRanks() != null) return text;
        return text + "; if some ranks are programs of other languages, list the Java ranks, for example "
                + RankEnvironment.JAVA_RANKS + "=0,2-3, in the environment of all ranks (mpirun -x "
                + RankEnvironment.JAVA_RANKS + "=…)";
    }

    @Override
    public void close() {
        over.countDown();
    }
}
