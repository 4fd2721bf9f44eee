package org.tutti.conformance.random;

import java.util.Locale;
import java.util.function.Supplier;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Mpi;

/// Runs `COUNT` random programs with the seeds from `FIRST`: `RandomMain FIRST COUNT [bursts|windows|threads]`.
/// With `bursts`, some steps are series of short collective calls, in which some ranks are several calls ahead.
/// With `windows`, the programs use one-sided communication. With `threads`, each rank uses up to three
/// threads.
///
/// Rank 0 prints `random programs done COUNT` at the end. A rank that finds an error ends with an exception
/// that contains the seed, the step and the command that repeats the program.
public final class RandomMain {
    public static final String DONE = "random programs done ";

    /// The kinds of programs.
    public enum Kind {
        PLAIN,
        BURSTS,
        WINDOWS,
        THREADS;

        private String argument() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private RandomMain() {}

    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        Kind kind = args.length > 2 ? Kind.valueOf(args[2].toUpperCase(Locale.ROOT)) : Kind.PLAIN;
        try (Mpi mpi = Mpi.init()) {
            run(mpi, first, count, kind);
            if (mpi.world().rank() == 0) System.out.println(DONE + count);
        }
    }

    /// Runs the programs in an existing job.
    public static void run(Mpi mpi, long first, int count, Kind kind) {
        Trial.Scratch scratch = new Trial.Scratch();
        for (int i = 0; i < count; i++) {
            long seed = first + i;
            if (kind == Kind.WINDOWS) {
                WindowProgram program = new WindowProgram(mpi.world(), seed, WindowProgram.EPOCHS);
                run(mpi, seed, kind, program::run, program::where);
            } else if (kind == Kind.THREADS) {
                ThreadedProgram program = new ThreadedProgram(mpi, seed);
                run(mpi, seed, kind, program::run, program::where);
            } else {
                RandomProgram program = new RandomProgram(new Trial(mpi, seed, scratch), seed, kind == Kind.BURSTS);
                run(mpi, seed, kind, program::run, program::where);
            }
        }
    }

    private static void run(Mpi mpi, long seed, Kind kind, Runnable program, Supplier<String> where) {
        try {
            program.run();
        } catch (Throwable t) {
            throw new AssertionError(
                    "random program " + seed + " failed on rank "
                            + mpi.world().rank() + " of "
                            + mpi.world().size() + " in " + where.get() + ": " + t
                            + "\n  again with: ./tutti run -n "
                            + mpi.world().size()
                            + (mpi.engineName().equals("shm") ? "" : " --engine libmpi --mpi openmpi|mpich")
                            + " -cp test/conformance/target/classes " + RandomMain.class.getName() + " " + seed
                            + " 1 " + kind.argument(),
                    t);
        }
    }
}
