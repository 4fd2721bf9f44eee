package org.tutti.testkit.random;

import org.tutti.mpi.Mpi;
import org.tutti.testkit.trial.Trial;

/// Runs `COUNT` random programs, those of the seeds from `FIRST` on: `RandomMain FIRST COUNT [bursts]`. With
/// bursts, some of their steps are many short collective calls, in which ranks get ahead of each other.
///
/// Rank 0 prints `random programs done COUNT` at the end; a rank that finds something wrong dies of an exception
/// that tells the seed, the step and the command that repeats it.
public final class RandomMain {
    public static final String DONE = "random programs done ";

    private static final String BURSTS = "bursts";

    private RandomMain() {}

    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        try (Mpi mpi = Mpi.init(args)) {
            run(mpi, first, count, args.length > 2 && args[2].equals(BURSTS));
            if (mpi.world().rank() == 0) System.out.println(DONE + count);
        }
    }

    /// The same in a job that is there already.
    public static void run(Mpi mpi, long first, int count) {
        run(mpi, first, count, false);
    }

    public static void run(Mpi mpi, long first, int count, boolean bursts) {
        Trial.Scratch scratch = new Trial.Scratch();
        for (int i = 0; i < count; i++) {
            long seed = first + i;
            RandomProgram program = new RandomProgram(new Trial(mpi, seed, scratch), seed, bursts);
            try {
                program.run();
            } catch (Throwable t) {
                throw new AssertionError(
                        "random program " + seed + " failed on rank "
                                + mpi.world().rank() + " of "
                                + mpi.world().size() + " in " + program.where() + ": " + t
                                + "\n  again with: ./tutti run -n "
                                + mpi.world().size()
                                + (mpi.engineName().equals("shm") ? "" : " --engine libmpi --mpi openmpi|mpich")
                                + " -cp tutti-testkit/target/classes " + RandomMain.class.getName() + " " + seed
                                + " 1" + (bursts ? " " + BURSTS : ""),
                        t);
            }
        }
    }
}
