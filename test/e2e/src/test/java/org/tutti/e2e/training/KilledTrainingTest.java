package org.tutti.e2e.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.HangLimit;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Checkpoints.FoundCheckpoint;

/// A training run that saves the parts of the ranks in the background is killed repeatedly at random times.
/// Each time, it continues from the newest complete checkpoint, and the result has the same bits as without a
/// kill.
///
/// The test prints the seed. `-Dtutti.e2e.seed=N` repeats a run, as far as timing can be repeated.
@Tag("ci")
class KilledTrainingTest extends JobTest {
    private static final int KILLS = Tier.FULL ? 200 : 2;
    private static final int RANKS = 2;
    private static final int LIMIT_SECONDS = 120;

    private static Child start(Path directory, long last) {
        return Command.program(Way.SHM, RANKS, List.of(), "KilledTraining", directory.toString(), "" + last)
                .start();
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(p -> p.getFileName().toString())
                    .filter(name -> !name.equals(".lock"))
                    .toList();
        }
    }

    /// Returns the largest number that follows `word` at the beginning of a line; 0 if no line matches.
    private static long largest(String out, String word) {
        return out.lines()
                .filter(line -> line.startsWith(word + " "))
                .mapToLong(line -> Long.parseLong(line.split(" ")[1]))
                .max()
                .orElse(0);
    }

    private static void awaitBegin(Child job) throws InterruptedException {
        HangLimit limit = new HangLimit(LIMIT_SECONDS);
        while (!job.outSoFar().contains("from ") && job.isAlive()) {
            assertThat(limit.isOver()).as("%s", job.errSoFar()).isFalse();
            Thread.sleep(5);
        }
    }

    @Test
    void aKilledTrainingResumesFromTheNewestCheckpoint() throws Exception {
        long seed = Long.getLong("tutti.e2e.seed", System.nanoTime());
        System.out.println("killed trainings: -Dtutti.e2e.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Path directory = Checkout.scratch("killed-training");
        Map<Long, String> resumed = new HashMap<>();
        long newest = 0;
        int inTheMiddle = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            List<String> left = names(directory).stream()
                    .filter(n -> n.startsWith(".unfinished"))
                    .toList();
            Child job = start(directory, Long.MAX_VALUE);
            if (random.nextInt(10) > 0) awaitBegin(job);
            Thread.sleep(random.nextInt(700), random.nextInt(999_999));
            List<Long> family = new ArrayList<>(List.of(job.pid()));
            ProcessHandle.of(job.pid()).ifPresent(p -> p.descendants().forEach(d -> family.add(d.pid())));
            Processes.signal("KILL", family.get(random.nextInt(family.size())));
            job.awaitCode();
            assertNothingIsLeft();
            String out = job.outSoFar();
            List<String> names = names(directory);
            if (names.stream().anyMatch(n -> n.startsWith(".unfinished"))) inTheMiddle++;
            if (out.contains("stored ")) assertThat(names).as("%s", out).noneMatch(left::contains);
            out.lines().filter(line -> line.startsWith("from ")).forEach(line -> {
                String[] fields = line.split(" ");
                String before = resumed.put(Long.valueOf(fields[1]), fields[2]);
                if (before != null) assertThat(fields[2]).isEqualTo(before);
            });
            if (out.contains("from ")) assertThat(largest(out, "from")).isEqualTo(newest);
            FoundCheckpoint found = Checkpoints.open(directory).findNewest();
            if (found == null) {
                assertThat(newest).isZero();
                assertThat(out).doesNotContain("stored");
                continue;
            }
            assertThat(found.skipped()).isEmpty();
            assertThat(found.step()).isGreaterThanOrEqualTo(Math.max(newest, largest(out, "stored")));
            newest = found.step();
        }
        System.out.println(KILLS + " kills, of which " + inTheMiddle + " in the middle of a file; step " + newest);
        long last = newest + 6;
        ProcessOutcome end = start(directory, last).await();
        assertThat(end.code()).as("%s", end).isZero();
        assertThat(names(directory))
                .as("files of the three retained checkpoints")
                .hasSize(9)
                .allMatch(n -> n.startsWith("step-"));
        ProcessOutcome undisturbed =
                start(Checkout.scratch("undisturbed-training"), last).await();
        Map<Long, String> expected = new HashMap<>();
        for (ProcessOutcome e : List.of(undisturbed, end)) {
            e.out().lines().filter(line -> line.startsWith("at ")).forEach(line -> {
                String[] fields = line.split(" ");
                String before = expected.put(Long.valueOf(fields[1]), fields[2]);
                if (before != null)
                    assertThat(fields[2]).as("step %s", fields[1]).isEqualTo(before);
            });
        }
        resumed.remove(0L);
        assertThat(expected).containsAllEntriesOf(resumed).containsKey(last);
    }
}
