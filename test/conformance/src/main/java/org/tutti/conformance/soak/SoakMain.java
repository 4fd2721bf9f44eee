package org.tutti.conformance.soak;

import org.tutti.mpi.Mpi;

/// Sends `TOTAL` random messages among all ranks, 0 bytes to 8 MiB long, and checks every byte: `SoakMain
/// SEED TOTAL`.
///
/// Every rank prints `ready RANK PID` before, so that a test may disturb it. Rank 0 prints `soak done: …
/// messages, … MB in … s` at the end; a rank that finds something wrong dies of an exception that tells
/// the seed, the pair, the letter and the command that repeats it.
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
