package org.tutti.train.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.CommunicationStats;
import org.tutti.train.ProcessGroup;
import org.tutti.train.Ranks;
import org.tutti.train.TrainingException;

class TrainingLogTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    private Path dir;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(), err = new ByteArrayOutputStream();

    /// Creates a log with a manual clock.
    private TrainingLog log(ProcessGroup group, AtomicLong clock, boolean terminal) {
        return new TrainingLog(group, clock::get, new ProgressLines(print(out), print(err), terminal));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream of) {
        return of.toString(StandardCharsets.UTF_8);
    }

    private static List<String> rows(Path file) throws Exception {
        return Files.readAllLines(file);
    }

    private static CommunicationStats waited(long seconds) {
        return CommunicationStats.of(1, 2 * seconds * SECOND, seconds * SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void aLineIsOfAllSamplesOfAllRanks(int ranks) throws Exception {
        Path file = dir.resolve("new/rows.csv");
        Ranks.run(ranks, group -> {
            AtomicLong clock = new AtomicLong();
            try (TrainingLog log = log(group, clock, false).withInterval(2).withCsv(file)) {
                // on each rank, the number of samples equals the loss; rank 0 has no samples, unless it is the
                // only rank
                int mine = group.rank() == 0 && ranks > 1 ? 0 : group.rank() + 1;
                for (int step = 1; step <= 4; step++) {
                    clock.addAndGet(5 * SECOND);
                    log.recordStep(step, mine, mine == 0 ? Double.NaN : mine, waited(step));
                }
            }
            return 0;
        });
        double samples = 0, loss = 0;
        for (int r = ranks > 1 ? 1 : 0; r < ranks; r++) {
            samples += r + 1;
            loss += (r + 1.0) * (r + 1);
        }
        loss /= samples;
        long speed = (long) (2 * samples / 10);
        // the first two steps have waited for 2 of 10 s, and likewise the next two
        assertThat(text(out).lines())
                .containsExactly(
                        "step 2: loss %.4f, %d samples/s, communication 20 %%".formatted(loss, speed),
                        "step 4: loss %.4f, %d samples/s, communication 20 %%".formatted(loss, speed));
        assertThat(text(err)).isEmpty();
        assertThat(rows(file)).hasSize(7).contains("step,seconds,name,value", "2,10.0,communication share,0.2");
        assertThat(value(rows(file), "4,20.0,loss,")).isCloseTo(loss, within(1e-12));
        assertThat(value(rows(file), "4,20.0,samples per second,")).isCloseTo(2 * samples / 10, within(1e-12));
    }

    private static double value(List<String> rows, String start) {
        return rows.stream()
                .filter(row -> row.startsWith(start))
                .map(row -> Double.parseDouble(row.substring(start.length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void linesAreASecondApartAndTheLastIsShown() {
        Ranks.run(1, group -> {
            AtomicLong clock = new AtomicLong();
            try (TrainingLog log = log(group, clock, false).withInterval(1)) {
                for (int step = 0; step < 25; step++) {
                    clock.addAndGet(SECOND / 10);
                    log.recordStep(step, 1000, 1.5e-5 * (step + 1));
                    if (step == 14) log.recordMetric(step, "test accuracy", 0.5);
                }
                log.print("the end");
            }
            return 0;
        });
        assertThat(text(out).lines())
                .containsExactly(
                        "step 0: loss 1.50e-05, 10,000 samples/s",
                        "step 10: loss 1.65e-04, 10,000 samples/s",
                        "step 14: loss 2.25e-04, 10,000 samples/s",
                        "step 14: test accuracy 0.5000",
                        "step 20: loss 3.15e-04, 10,000 samples/s",
                        "step 24: loss 3.75e-04, 10,000 samples/s",
                        "the end");
    }

    @Test
    void onATerminalALineTakesThePlaceOfTheOneBefore() {
        Ranks.run(2, group -> {
            AtomicLong clock = new AtomicLong();
            try (TrainingLog log = log(group, clock, true).withInterval(1)) {
                clock.set(SECOND);
                log.recordStep(0, 6, 1);
                clock.set(2 * SECOND);
                log.recordStep(1, 6, 0.5);
                log.print("hello");
                clock.set(3 * SECOND);
                log.recordStep(2, 6, 0.25);
            }
            return 0;
        });
        assertThat(text(out).replace(System.lineSeparator(), "\n"))
                .isEqualTo(
                        "\r\033[Kstep 0: loss 1.0000, 12 samples/s\r\033[Kstep 1: loss 0.5000, 12 samples/s\r\033[Khello\n"
                                + "\r\033[Kstep 2: loss 0.2500, 12 samples/s\n");
    }

    @Test
    void aFileThatIsThereIsContinuedFromTheFirstStep() throws Exception {
        Path file = dir.resolve("rows.csv"), picture = dir.resolve("loss.svg");
        for (int from : new int[] {0, 2}) {
            Ranks.run(3, group -> {
                try (TrainingLog log = log(group, new AtomicLong(), false)
                        .withInterval(1)
                        .withCsv(file)
                        .withPlot(picture)) {
                    for (int step = from; step < from + 3; step++) {
                        log.recordStep(step, 1, 10 * from + step);
                        if (step == from) log.recordMetric(step, "a \"b\", c", from);
                    }
                }
                return 0;
            });
            Files.writeString(file, Files.readString(file) + "9,torn");
        }
        assertThat(rows(file).stream().filter(row -> !row.contains("samples")))
                .containsExactly(
                        "step,seconds,name,value",
                        "0,0.0,loss,0.0",
                        "0,0.0,\"a \"\"b\"\", c\",0.0",
                        "1,0.0,loss,1.0",
                        "2,0.0,loss,22.0",
                        "2,0.0,\"a \"\"b\"\", c\",2.0",
                        "3,0.0,loss,23.0",
                        "4,0.0,loss,24.0",
                        "9,torn");
        assertThat(Files.readString(picture))
                .contains("3 ranks, shm", ">loss<", ">step<")
                .containsPattern("<polyline points=\"([0-9.]+,[0-9.]+ ){4}[0-9.]+,[0-9.]+\"");
    }

    @Test
    void aLossThatFallsFarIsDrawnOverALogarithm() throws Exception {
        Path picture = dir.resolve("pictures/loss.png"), curve = dir.resolve("loss.svg");
        for (Path p : List.of(picture, curve)) {
            Ranks.run(1, group -> {
                try (TrainingLog log =
                        log(group, new AtomicLong(), false).withInterval(1).withPlot(p)) {
                    for (int step = 0; step < 5; step++) log.recordStep(step, 1, Math.pow(10, -step));
                }
                return 0;
            });
        }
        assertThat(Files.readString(curve)).contains(">0.001<", "1 rank");
        assertThat(Files.readAllBytes(picture)).startsWith(0x89, 'P', 'N', 'G');
    }

    @Test
    void eventFilesHaveTheCurves() throws Exception {
        Ranks.run(2, group -> {
            try (TrainingLog log =
                    log(group, new AtomicLong(), false).withInterval(1).withEvents(dir.resolve("runs"))) {
                log.recordStep(7, 1, 0.5, waited(0));
                log.recordMetric(7, "test accuracy", 0.75);
            }
            return 0;
        });
        try (Stream<Path> files = Files.list(dir.resolve("runs"))) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            assertThat(Files.readString(all.getFirst(), StandardCharsets.ISO_8859_1))
                    .contains("loss", "samples per second", "communication share", "test accuracy");
        }
    }

    @Test
    void ranksAtDifferentStepsAreReported() {
        List<String> said = Ranks.run(3, group -> {
            try (TrainingLog log = log(group, new AtomicLong(), false).withInterval(5)) {
                log.recordStep(group.rank() == 2 ? 10 : 5, 1, 1);
                return "nothing";
            } catch (TrainingException e) {
                return String.valueOf(e.getMessage());
            }
        });
        assertThat(said)
                .containsOnly(
                        "training log: rank 2 is at step 10 and rank 0 at step 5; all ranks must log the same steps");
    }

    @Test
    void aFileThatCannotBeOpenedFailsOnAllRanks() throws Exception {
        Path file = Files.writeString(dir.resolve("file"), "x\n");
        record Case(String what, String why) {}
        List<Case> cases = List.of(
                new Case(
                        "csv " + file,
                        file + " cannot be written: the file exists and does not begin with"
                                + " step,seconds,name,value; choose a different name"),
                new Case("csv " + dir, dir + " cannot be written: " + dir + ": Is a directory"),
                new Case("csv /dev/full", "/dev/full cannot be written: No space left on device"),
                new Case("events " + file, file + " cannot be written: " + file + " is not a directory"),
                new Case(
                        "plot " + file + "/a.svg", file + "/a.svg cannot be written: " + file + " is not a directory"));
        for (Case c : cases) {
            List<String> said = Ranks.run(2, group -> {
                String[] words = c.what.split(" ");
                try (TrainingLog log = log(group, new AtomicLong(), false).withInterval(5)) {
                    switch (words[0]) {
                        case "csv" -> log.withCsv(Path.of(words[1]));
                        case "events" -> log.withEvents(Path.of(words[1]));
                        default -> log.withPlot(Path.of(words[1]));
                    }
                    log.recordStep(1, 1, 1);
                    return "nothing";
                } catch (TrainingException e) {
                    return String.valueOf(e.getMessage());
                }
            });
            assertThat(said).containsOnly("training log: " + c.why + " (rank 0)");
        }
        assertThat(text(out)).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileThatFailsLaterIsGivenUpAndTheTrainingGoesOn() throws Exception {
        Path pipe = dir.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Thread reader = Thread.ofPlatform().start(() -> {
            try (var lines = Files.newBufferedReader(pipe)) {
                lines.readLine();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        Ranks.run(2, group -> {
            try (TrainingLog log =
                    log(group, new AtomicLong(), false).withInterval(1).withCsv(pipe)) {
                log.recordMetric(1, "begun", 1);
                if (group.rank() == 0) reader.join();
                log.recordStep(2, 1, 1);
                log.recordStep(3, 1, 1);
            }
            return 0;
        });
        assertThat(text(err).lines())
                .singleElement()
                .asString()
                .matches("training log: " + pipe
                        + " is not written from step [12] on: Broken pipe \\(rank 0\\); training continues");
        assertThat(text(out)).contains("step 3: loss 1.0000");
    }

    @Test
    void aFailedPlotIsReportedAtTheEnd() throws Exception {
        Path picture = Files.createDirectories(dir.resolve("a.svg"));
        Ranks.run(1, group -> {
            try (TrainingLog log = log(group, new AtomicLong(), false).withPlot(picture)) {
                log.recordStep(10, 1, 1);
            }
            return 0;
        });
        assertThat(text(err).strip())
                .isEqualTo("training log: " + picture + " was not drawn: " + picture
                        + ": Is a directory (rank 0); training continues");
    }

    @Test
    void itIsSetUpBeforeItsFirstStep() {
        Ranks.run(1, group -> {
            TrainingLog log = log(group, new AtomicLong(), false);
            assertThatThrownBy(() -> log.withInterval(0)).hasMessage("a line every 0 steps; it must be at least 1");
            assertThatThrownBy(() -> log.withPlot(Path.of("loss.pdf")))
                    .hasMessage("plot loss.pdf: give a name that ends in .svg or .png");
            log.recordStep(1, 1, 1);
            assertThatThrownBy(() -> log.withCsv(Path.of("late")))
                    .hasMessage("configure the log before the first step");
            return 0;
        });
    }
}
