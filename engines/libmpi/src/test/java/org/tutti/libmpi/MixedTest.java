package org.tutti.libmpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.LaunchedTest.Launcher;
import org.tutti.libmpi.LaunchedTest.Outcome;

/// Jobs with ranks that do not use Tutti.
@Tag("ci")
class MixedTest {
    /// On two cores, the second job has more ranks than cores. In a job of only Java ranks, the engine would
    /// then use nonblocking calls, which do not match the blocking calls of foreign ranks.
    @ParameterizedTest
    @MethodSource("org.tutti.libmpi.LaunchedTest#openMpi")
    void javaAndForeignRanksCommunicate(Launcher launcher) throws Exception {
        succeeds(job(launcher, "0", "java", "foreign"), 1, 1);
        succeeds(job(launcher, "0,2", "java", "foreign", "java"), 2, 1);
    }

    @ParameterizedTest
    @MethodSource("org.tutti.libmpi.LaunchedTest#mpich")
    void aWrongListOfRanksIsRefused(Launcher launcher) throws Exception {
        Outcome beyond = job(launcher, "0-4", "java");
        assertThat(beyond.code()).isNotZero();
        assertThat(beyond.output()).contains("init: TUTTI_JAVA_RANKS lists rank 4, but the world has ranks 0 to 0");
        Outcome without = job(launcher, "1", "java", "foreign");
        assertThat(without.code()).isNotZero();
        assertThat(without.output())
                .contains("init: TUTTI_JAVA_RANKS does not list rank 0, which is this Java program");
    }

    private static void succeeds(Outcome o, int javas, int foreigners) {
        assertThat(o.code()).as(o.output()).isZero();
        assertThat(o.output().lines().filter(line -> line.matches(".*java rank \\d+ ok")))
                .as(o.output())
                .hasSize(javas);
        assertThat(o.output().lines().filter(line -> line.matches(".*foreign rank \\d+ ok")))
                .as(o.output())
                .hasSize(foreigners);
    }

    /// Runs a job with one rank of each of these kinds, in this order.
    private static Outcome job(Launcher launcher, String javaRanks, String... kinds) throws Exception {
        LaunchedTest.assumeInstalled(launcher);
        List<String> ranks = new ArrayList<>();
        for (int r = 0; r < kinds.length; r++) if (kinds[r].equals("java")) ranks.add(Integer.toString(r));
        List<String> command = new ArrayList<>(launcher.command);
        for (String kind : kinds) {
            if (command.size() > launcher.command.size()) command.add(":");
            command.addAll(List.of("-n", "1"));
            command.addAll(
                    kind.equals("java")
                            ? LaunchedTest.java(MixedJava.class, ranks.toArray(new String[0]))
                            : LaunchedTest.java(MixedForeign.class));
        }
        return LaunchedTest.run(command, Map.of(RankEnvironment.JAVA_RANKS, javaRanks));
    }
}
