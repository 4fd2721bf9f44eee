package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.conformance.soak.SoakMain;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.Cpus;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// Random messages between ranks that run undisturbed, share cores or are stopped. Over the libraries, fewer
/// messages are sent. Every byte is checked.
///
/// `-Dtutti.soak.messages=1000000` runs the soak test, which takes minutes. `-Dtutti.soak.seed=N` selects other
/// messages.
class SoakTest extends JobTest {
    private static final long MESSAGES = Long.getLong("tutti.soak.messages", 20_000);
    private static final long SEED = Long.getLong("tutti.soak.seed", 1);

    /// Time limit for a busy machine. Only a hang takes the full time.
    private static final long LIMIT_SECONDS = 120 + MESSAGES / 200;

    private static final int MOST_PAUSE_MILLIS = 50, MOST_STOPPED_MILLIS = 20;
    private static final Pattern DONE = Pattern.compile("^" + SoakMain.DONE + "(\\d+) messages.*$", Pattern.MULTILINE);

    /// Options of ranks in a short run, in which C2 compilation does not pay off.
    private static final List<String> JVM = MESSAGES < 100_000 ? List.of("--jvm", Command.RANKS_FLAG) : List.of();

    private static Child start(int ranks, String... options) {
        return start(Way.SHM, ranks, MESSAGES, options);
    }

    private static Child start(Way way, int ranks, long messages, String... options) {
        List<String> arguments = new ArrayList<>(way.run(ranks));
        arguments.addAll(JVM);
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("-cp", Checkout.classes("tutti-conformance").toString()));
        arguments.addAll(List.of(SoakMain.class.getName(), "" + SEED, "" + messages));
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments)
                .start();
    }

    private static void end(String how, Child job) throws InterruptedException {
        ProcessOutcome outcome = job.await(LIMIT_SECONDS);
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        String result =
                DONE.matcher(outcome.out()).results().findFirst().orElseThrow().group();
        System.out.println(how + ": " + result);
    }

    @Test
    @Tag("full")
    void everyByteArrivesUnchanged() throws Exception {
        end("4 ranks", start(4));
    }

    @Test
    @Tag("full")
    void ranksBoundToCores() throws Exception {
        end("bound to cores", start(4, "--bind-to", "core", "--oversubscribe"));
    }

    @Test
    @Tag("full")
    void ranksOnOneCpu() throws Exception {
        String one = "" + Cpus.allowed().getFirst();
        end("on one cpu", start(4, "--bind-to", "hwthread", "--cpu-set", one, "--oversubscribe"));
    }

    @Test
    @Tag("full")
    void moreRanksThanCores() throws Exception {
        end("8 ranks", start(8));
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SHM")
    void ranksOverLibrary(Way way) throws Exception {
        way.require();
        end("over " + way, start(way, 4, MESSAGES / 4));
    }

    @Test
    @Tag("full")
    void ranksStoppedAtRandom() throws Exception {
        Child job = start(4);
        List<Long> ranks = List.copyOf(job.awaitReady(4).values());
        List<Throwable> failures = new ArrayList<>();
        int[] stops = {0};
        Thread disturber = Thread.ofPlatform().start(() -> {
            try {
                stops[0] = stopAtRandom(job, ranks);
            } catch (Throwable t) {
                failures.add(t);
            }
        });
        end("stopped now and then", job);
        disturber.join();
        System.out.println("ranks were stopped " + stops[0] + " times");
        assertThat(failures).isEmpty();
        assertThat(stops[0]).isPositive();
    }

    /// Stops and continues one random rank at a time, for milliseconds. Returns the number of stops.
    private static int stopAtRandom(Child job, List<Long> ranks) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(SEED);
        int stops = 0;
        while (job.isAlive()) {
            long rank = ranks.get(random.nextInt(ranks.size()));
            try {
                Processes.signal("STOP", rank);
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1, MOST_STOPPED_MILLIS + 1));
            } finally {
                Processes.signal("CONT", rank);
            }
            stops++;
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_PAUSE_MILLIS));
        }
        return stops;
    }
}
