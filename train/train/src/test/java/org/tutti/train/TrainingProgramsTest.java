package org.tutti.train;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Tutti;
import org.tutti.train.TrainingProgram.Mistake;
import org.tutti.train.model.DType;

/// Random programs of a training step's calls, each run by ranks as threads. A legal program results in the
/// same model as a single rank with the whole batch, and does not throw. After a mistake, every rank throws, at
/// least one rank with the message of the mistake, and no rank waits forever.
///
/// `-Dtutti.training.seed=N` repeats one program.
class TrainingProgramsTest {
    private static final int LEGAL =
            Boolean.getBoolean("tutti.full") ? 20_000 : Boolean.getBoolean("tutti.ci") ? 2000 : 40;
    private static final int WRONG =
            Boolean.getBoolean("tutti.full") ? 3000 : Boolean.getBoolean("tutti.ci") ? 200 : Mistake.values().length;
    private static final long HANG_MILLIS = 120_000;

    /// The exceptions of the ranks, and the numbers of the models.
    private record Outcome(@Nullable Throwable[] thrown, double[][] models) {}

    private static long first() {
        Long asked = Long.getLong("tutti.training.seed");
        return asked != null ? asked : Boolean.getBoolean("tutti.full") ? System.nanoTime() % 1_000_000_000 : 0;
    }

    private static int count(int usual) {
        return Long.getLong("tutti.training.seed") != null ? 1 : usual;
    }

    @Test
    void legalProgramsTrainTheModelOfOneRank() {
        long first = first();
        for (long seed = first; seed < first + count(LEGAL); seed++) {
            TrainingProgram program = TrainingProgram.legal(new SplittableRandom(seed));
            Outcome outcome = run(program, seed);
            double[] expected = program.expected();
            for (int r = 0; r < program.size(); r++) {
                if (outcome.thrown[r] != null) throw failure(program, seed, "rank " + r + " threw", outcome.thrown[r]);
                double distance = distance(expected, outcome.models[r]);
                if (!(distance < 1e-9))
                    throw failure(program, seed, "rank " + r + " is " + distance + " from one rank", null);
                if (!Arrays.equals(outcome.models[r], outcome.models[0])) {
                    throw failure(program, seed, "ranks 0 and " + r + " have two models", null);
                }
            }
        }
    }

    @Test
    void mistakesThrowOnEveryRank() {
        long first = first();
        for (long seed = first; seed < first + count(WRONG); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Mistake mistake = Mistake.values()[Math.floorMod(seed, Mistake.values().length)];
            TrainingProgram program = TrainingProgram.wrong(random, mistake);
            Outcome outcome = run(program, seed);
            int naming = 0;
            for (int r = 0; r < program.size(); r++) {
                Throwable thrown = outcome.thrown[r];
                if (thrown == null) throw failure(program, seed, "rank " + r + " has not noticed", null);
                if (String.valueOf(thrown.getMessage()).matches("(?s)" + mistake.text())) {
                    naming++;
                } else if (mistake.isOfAll()) {
                    throw failure(program, seed, "rank " + r + " does not name the mistake", thrown);
                } else if (!(thrown instanceof TrainingException || thrown instanceof MpiException)) {
                    throw failure(program, seed, "rank " + r + " names something else", thrown);
                }
            }
            // a rank about to make the same mistake may be notified of the failure of a different rank first
            if (naming == 0) throw failure(program, seed, "no rank names the mistake", outcome.thrown[0]);
        }
    }

    private static AssertionError failure(TrainingProgram program, long seed, String what, @Nullable Throwable cause) {
        return new AssertionError(
                "seed " + seed + ": " + what + "\n" + program + "\nrepeat: ./mvnw test -pl :tutti-train -am"
                        + " -Dtest=TrainingProgramsTest -Dsurefire.failIfNoSpecifiedTests=false -Dtutti.training.seed="
                        + seed,
                cause);
    }

    private static double distance(double[] a, double[] b) {
        return Math.sqrt(IntStream.range(0, a.length)
                .mapToDouble(i -> (a[i] - b[i]) * (a[i] - b[i]))
                .sum());
    }

    /// Runs the program on all ranks; fails after two minutes.
    private static Outcome run(TrainingProgram program, long seed) {
        Outcome outcome = new Outcome(new @Nullable Throwable[program.size()], new double[program.size()][]);
        CountDownLatch ended = new CountDownLatch(program.size());
        Thread job = Thread.ofPlatform().daemon().start(() -> {
            try {
                Tutti.local(program.size(), mpi -> {
                    int rank = mpi.world().rank();
                    try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                        TinyModel model = new TinyModel(DType.F64, program.notifies(), 1);
                        program.run(group, model);
                        outcome.models[rank] = model.all();
                    } catch (Throwable t) {
                        outcome.thrown[rank] = t;
                        throw t;
                    } finally {
                        ended.countDown();
                    }
                });
            } catch (RuntimeException e) {
                // the exception of each rank was recorded above
            }
        });
        try {
            job.join(HANG_MILLIS);
            // if a job has failed, `local` waits for the other ranks for only two seconds
            if (!ended.await(HANG_MILLIS, TimeUnit.MILLISECONDS)) throw failure(program, seed, "it hangs", null);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (job.isAlive()) throw failure(program, seed, "it hangs", null);
        return outcome;
    }
}
