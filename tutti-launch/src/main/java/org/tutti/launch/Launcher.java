package org.tutti.launch;

import java.io.IOException;
import java.nio.file.Files;
import org.tutti.mpi.bootstrap.JobBoard;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.OsDoor;
import org.tutti.mpi.bootstrap.Place;

/// Runs a job: the one door to this package, together with [Run].
public final class Launcher {
    private Launcher() {}

    /// Starts the ranks, relays their output to this process's stdout and stderr, waits for the last, says why it
    /// failed if it did, and returns the exit code: 0, the first failure's, 124 for a timeout, 130 for an
    /// interrupt.
    ///
    /// The calling thread must live until this returns, for ranks die with it.
    ///
    /// @throws UsageException if what was asked for cannot be started
    public static int run(Run run) throws IOException, InterruptedException {
        if (run.wdir() != null && !Files.isDirectory(run.wdir())) {
            throw new UsageException("--wdir " + run.wdir() + ": there is no such directory");
        }
        boolean local = run.engine().equals(Place.SHM);
        Mpirun mpirun = local ? null : Mpirun.find(run.mpi());
        Program program = Programs.resolve(run);
        try (JobFile file = OsDoor.open().createFile("tutti", JobFile.BYTES)) {
            JobBoard board = JobBoard.create(file, run.size());
            int code = mpirun == null
                    ? new LocalJob(run, program, file, board).run()
                    : delegate(run, program, file, board, mpirun);
            if (code == 0) AotCache.make(run.size());
            return code;
        }
    }

    private static int delegate(Run run, Program program, JobFile file, JobBoard board, Mpirun mpirun)
            throws IOException, InterruptedException {
        try (RankExits exits = new RankExits()) {
            return new MpirunJob(run, program, file, board, mpirun, exits).run();
        }
    }

    /// Makes what later runs of `ranks` ranks start faster with, if it is not there yet; takes seconds.
    public static void prepare(int ranks) {
        AotCache.make(ranks);
    }
}
