package org.tutti.conformance.soak;

import org.tutti.mpi.Mpi;

/// Sends `TOTAL` random messages between all pairs of ranks and checks every byte: `SoakMain SEED TOTAL`.
/// Messages have 0 bytes to 8 MiB.
///
/// Each rank first prints `ready RANK PID`, so that a test can disturb the process. At the end, rank 0 prints
/// `soak done: … messages, … MB in … s`. A rank that finds an error ends with an exception that contains the
/// seed, the pair, the message and the command that repeats the run.
public final class SoakMain {
    public static final String DONE = "soak done: ";

    private SoakMain() {}

    public static void main(String[] args) throws InterruptedException {
        long seed = Long.parseLong(args[0]);
        long total = Long.parseLong(args[1]);
        try (Mpi mpi = Mpi.init()) {
            System.out.println("ready " + mpi.world().rank() + " "
                    + ProcessHandle.current().pid());
            String result = new Soak(mpi, seed, total).run();
            if (mpi.world().rank() == 0) System.out.println(DONE + result);
        }
    }
}
