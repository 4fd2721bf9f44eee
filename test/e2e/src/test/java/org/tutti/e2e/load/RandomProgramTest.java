package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.conformance.random.RandomMain;
import org.tutti.conformance.random.RandomMain.Kind;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import org.tutti.mpi.Tutti;

/// Hundreds of random correct programs over every engine and library. `-Dtutti.random.seed=N` and
/// `-Dtutti.random.count=N` select other programs. `-Pfull` runs more.
class RandomProgramTest extends JobTest {
    private static final List<Integer> RANKS = List.of(1, 2, 3, 4, 5, 8), NATIVE_RANKS = List.of(2, 3);
    private static final long SEED = Long.getLong("tutti.random.seed", 1);
    private static final int GIVEN_COUNT = Integer.getInteger("tutti.random.count", 0);

    private static int windowCount() {
        if (GIVEN_COUNT > 0) return GIVEN_COUNT;
        return Tier.FULL ? 250 : 8;
    }

    private static int count(Way way) {
        if (GIVEN_COUNT > 0) return GIVEN_COUNT;
        if (Tier.FULL) return 105;
        return 8;
    }

    private static List<Integer> ranks(Way way) {
        return switch (way) {
            case SHM -> Tier.FULL ? RANKS : List.of(3);
            case OPEN_MPI -> Tier.FULL ? NATIVE_RANKS : List.of();
            case MPICH -> Tier.FULL ? NATIVE_RANKS : List.of(2);
        };
    }

    static List<Integer> windowRanks() {
        return Tier.FULL ? List.of(1, 2, 3, 4) : List.of(3);
    }

    static List<Integer> threads() {
        return Tier.FULL ? RANKS : List.of(5);
    }

    static Stream<Arguments> jobs() {
        return Stream.of(Way.values()).flatMap(way -> ranks(way).stream().map(n -> Arguments.of(way, n)));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void ranksInProcessesAgreeWithTheModel(Way way, int ranks) throws Exception {
        way.require();
        List<String> arguments = new ArrayList<>(way.run(ranks));
        runs(arguments, ranks, count(way), Kind.PLAIN);
    }

    /// Runs 1,000 programs with `-Pfull`.
    @ParameterizedTest
    @MethodSource("windowRanks")
    void windowsOfRanksInProcessesAgreeWithTheModel(int ranks) throws Exception {
        runs(new ArrayList<>(Way.SHM.run(ranks)), ranks, windowCount(), Kind.WINDOWS);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void windowsOverALibraryAgreeWithTheModel(Way way) throws Exception {
        way.require();
        runs(new ArrayList<>(way.run(3)), 3, windowCount(), Kind.WINDOWS);
    }

    /// Like ranks on several machines: MPICH treats each rank as the only rank of a machine.
    @Test
    @Tag("ci")
    void windowsWithoutSharedMemoryAgreeWithTheModel() throws Exception {
        Way.MPICH.require();
        Command command = command(new ArrayList<>(Way.MPICH.run(2)), 2, windowCount(), Kind.WINDOWS);
        check(command.env("MPIR_CVAR_NOLOCAL", "1").run(), windowCount());
    }

    private static void runs(List<String> arguments, int ranks, int count, Kind kind) throws Exception {
        check(command(arguments, ranks, count, kind).run(), count);
    }

    private static Command command(List<String> arguments, int ranks, int count, Kind kind) {
        arguments.addAll(List.of("--jvm", Command.RANKS_FLAG));
        arguments.addAll(List.of("-cp", Checkout.classes("tutti-conformance").toString()));
        arguments.addAll(List.of(RandomMain.class.getName(), "" + first(ranks), "" + count, kind.name()));
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments);
    }

    private static void check(ProcessOutcome outcome, int count) {
        assertThat(outcome.code()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).as(outcome.toString()).contains(RandomMain.DONE + count);
    }

    @ParameterizedTest
    @MethodSource("threads")
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    @Tag("ci")
    void windowsOfRanksAsThreadsAgreeWithTheModel(int ranks) {
        Tutti.local(ranks, mpi -> RandomMain.run(mpi, first(ranks), windowCount(), Kind.WINDOWS));
    }

    @ParameterizedTest
    @MethodSource("threads")
    @Timeout(value = 600, unit = TimeUnit.SECONDS)
    void ranksAsThreadsAgreeWithTheModel(int ranks) {
        Tutti.local(ranks, mpi -> RandomMain.run(mpi, first(ranks), count(Way.SHM), Kind.PLAIN));
    }

    /// Returns numbers of ranks and programs: 200 programs in total with `-Pci`, 2,000 with `-Pfull`.
    static Stream<Arguments> threadedRanks() {
        if (GIVEN_COUNT > 0) return Stream.of(2, 3, 5).map(n -> Arguments.of(n, GIVEN_COUNT));
        if (Tier.FULL) return Stream.of(1, 2, 3, 4, 5).map(n -> Arguments.of(n, 400));
        if (Tier.CI) return Stream.of(Arguments.of(2, 80), Arguments.of(3, 80), Arguments.of(5, 40));
        return Stream.of(Arguments.of(2, 5));
    }

    /// Up to three threads of each rank create and use every kind of object, with the same tags.
    @ParameterizedTest
    @MethodSource("threadedRanks")
    @Timeout(value = 3_000, unit = TimeUnit.SECONDS)
    void threadsOfRanksAgreeWithTheModel(int ranks, int count) {
        for (int done = 0; done < count; done += 50) {
            long first = first(ranks) + done;
            int some = Math.min(50, count - done);
            Tutti.local(ranks, mpi -> RandomMain.run(mpi, first, some, Kind.THREADS));
        }
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.SHM, Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void threadsOfRanksInProcessesAgreeWithTheModel(Way way) throws Exception {
        way.require();
        runs(new ArrayList<>(way.run(2)), 2, count(way), Kind.THREADS);
    }

    /// Returns the first seed, which differs for each number of ranks.
    private static long first(int ranks) {
        return SEED + 1_000L * ranks;
    }
}
