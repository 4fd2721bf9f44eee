package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Tests the effect of each option of `tutti run`, over shared memory and over each MPI library.
class OptionTest extends JobTest {
    private static List<String> onTwoRanks(String format) {
        return List.of(format.formatted(0), format.formatted(1));
    }

    private static ProcessOutcome run(Way way, List<String> options, String... program) throws Exception {
        ProcessOutcome ended = Command.program(way, 2, options, program)
                .env("FROM_OUTSIDE", "inherited")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        // on a busy machine a rank can be delayed, and the other rank reports the wait
        assertThat(ended.err().lines()).as("%s", ended).allMatch(line -> line.contains(" has waited since "));
        return ended;
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void argumentsArePassedUnchanged(Way way) throws Exception {
        ProcessOutcome ended =
                run(way, List.of(), "RankPrinter", "arguments", "-n", "a b", "--quiet", "", "*", "'", "$HOME", "ä");
        assertThat(ended.sortedOut())
                .isEqualTo(onTwoRanks("rank %d of 2: [arguments, -n, a b, --quiet, , *, ', $HOME, ä]"));
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void optionXSetsOrPassesAVariable(Way way) throws Exception {
        ProcessOutcome set =
                run(way, List.of("-x", "SOME_NAME=some = value"), "RankPrinter", "environment", "SOME_NAME");
        assertThat(set.sortedOut()).isEqualTo(onTwoRanks("rank %d of 2: SOME_NAME=some = value"));
        ProcessOutcome passed = run(way, List.of("-x", "FROM_OUTSIDE"), "RankPrinter", "environment", "FROM_OUTSIDE");
        assertThat(passed.sortedOut()).isEqualTo(onTwoRanks("rank %d of 2: FROM_OUTSIDE=inherited"));
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void jvmOptionsReachEveryRank(Way way) throws Exception {
        ProcessOutcome ended =
                run(way, List.of("--jvm", "-Da.b=c d", "--jvm=-Xmx70m"), "RankPrinter", "property", "a.b");
        assertThat(ended.sortedOut()).isEqualTo(onTwoRanks("rank %d of 2: a.b=c d"));
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void wdirSetsTheDirectoryOfRanks(Way way) throws Exception {
        Path directory = Checkout.scratch("w dir");
        ProcessOutcome ended = run(way, List.of("--wdir", directory.toString()), "RankPrinter", "directory");
        assertThat(ended.sortedOut()).isEqualTo(onTwoRanks("rank %d of 2: " + directory));
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void tagOutputBeginsEachLineWithTheRank(Way way) throws Exception {
        ProcessOutcome ended = Command.program(way, 2, List.of("--tag-output"), "RankPrinter", "streams")
                .run();
        assertThat(ended.sortedOut()).as("%s", ended).isEqualTo(onTwoRanks("[%1$d] rank %1$d of 2 out"));
        assertThat(ended.err().lines().sorted()).as("%s", ended).isEqualTo(onTwoRanks("[%1$d] rank %1$d of 2 err"));
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void outputDirContainsAFilePerRankAndStream(Way way) throws Exception {
        Path directory = Checkout.scratch("out").resolve("new");
        List<String> options = List.of("--output-dir", directory.toString());
        ProcessOutcome ended =
                Command.program(way, 2, options, "RankPrinter", "streams").run();
        assertThat(ended.sortedOut()).as("%s", ended).isEqualTo(onTwoRanks("rank %d of 2 out"));
        for (int rank = 0; rank < 2; rank++) {
            assertThat(directory.resolve("rank-" + rank + ".out")).hasContent("rank " + rank + " of 2 out\n");
            assertThat(directory.resolve("rank-" + rank + ".err")).hasContent("rank " + rank + " of 2 err\n");
        }
        ProcessOutcome quiet = Command.program(
                        way, 2, List.of("--quiet", "--output-dir", directory.toString()), "RankPrinter", "streams")
                .run();
        assertThat(quiet.out() + quiet.err()).as("%s", quiet).isEmpty();
    }

    /// Combines the options of the other tests in one job.
    @ParameterizedTest
    @EnumSource
    void allAtOnce(Way way) throws Exception {
        Path directory = Checkout.scratch("w dir"), output = directory.resolve("new");
        List<String> options = new ArrayList<>(List.of("-x", "SOME_NAME=some = value", "-x", "FROM_OUTSIDE"));
        options.addAll(List.of("--jvm", "-Da.b=c d", "--jvm=-Xmx70m", "--wdir", directory.toString(), "--tag-output"));
        options.addAll(List.of("--output-dir", output.toString()));
        String[] program = {
            "RankPrinter",
            "options",
            "SOME_NAME",
            "FROM_OUTSIDE",
            "a.b",
            "-n",
            "a b",
            "--quiet",
            "",
            "*",
            "'",
            "$HOME",
            "ä"
        };
        ProcessOutcome ended = run(way, options, program);
        String expected = "rank %1$d of 2: some = value, inherited, c d, " + directory
                + (way.isNative() ? ", libmpi" : ", shm") + ", [-n, a b, --quiet, , *, ', $HOME, ä]";
        assertThat(ended.sortedOut()).isEqualTo(onTwoRanks("[%1$d] " + expected));
        for (int rank = 0; rank < 2; rank++) {
            assertThat(output.resolve("rank-" + rank + ".out")).hasContent(expected.formatted(rank) + "\n");
            assertThat(output.resolve("rank-" + rank + ".err")).isEmptyFile();
        }
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("ci")
    void timeoutExitsWith124(Way way) throws Exception {
        ProcessOutcome ended = Command.program(way, 2, List.of("--timeout", "3"), "Waits", "sleep")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(124);
        assertThat(ended.lastErrorLine()).startsWith("tutti: its time of 3.0 s is over (--timeout)");
    }

    @Test
    @Tag("ci")
    void quietHidesLinesOfTutti() throws Exception {
        ProcessOutcome ended = Command.program(Way.SHM, 3, List.of("--quiet"), "Failures", "exit", "3")
                .run();
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.err()).isEmpty();
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void theRequestedEngineIsUsed(Way way) throws Exception {
        ProcessOutcome ended = run(way, List.of(), "RankPrinter", "engine");
        assertThat(ended.sortedOut()).isEqualTo(onTwoRanks("rank %d of 2: " + (way.isNative() ? "libmpi" : "shm")));
    }

    @Test
    void aJarRunsTheMainClassOfTheManifest() throws Exception {
        Path jar = Checkout.scratch("jar").resolve("app.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "programs.RankPrinter");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.putNextEntry(new JarEntry("programs/RankPrinter.class"));
            Files.copy(Checkout.PROGRAMS.resolve("programs/RankPrinter.class"), out);
        }
        ProcessOutcome ended =
                Command.tutti("run", "-n", "2", jar.toString(), "hello").run();
        assertThat(ended.sortedOut()).as("%s", ended).isEqualTo(onTwoRanks("rank %d of 2"));
    }

    @Test
    @Tag("ci")
    void aSourceFileIsCompiledOnce() throws Exception {
        Path directory = Checkout.scratch("source");
        Path source = directory.resolve("Once.java");
        Files.writeString(source, "void main() { IO.println(\"first\"); }\n");
        Path cache = directory.resolve("cache");
        assertThat(runSource(source, cache).out()).isEqualTo("first\n");
        Map<Path, Object> compiled = identities(cache);
        assertThat(compiled).isNotEmpty();
        assertThat(runSource(source, cache).out()).isEqualTo("first\n");
        assertThat(identities(cache)).as("no compilation in the second run").isEqualTo(compiled);

        Path changed = directory.resolve("Changed.java");
        Files.writeString(changed, "void main() { IO.println(\"other\"); }\n");
        Files.setLastModifiedTime(changed, Files.getLastModifiedTime(source));
        Files.move(changed, source, StandardCopyOption.REPLACE_EXISTING);
        assertThat(runSource(source, cache).out())
                .as("same name, size and time, other text")
                .isEqualTo("other\n");
    }

    @Test
    @Tag("full")
    void anUnwritableCacheIsOmitted() throws Exception {
        Path directory = Checkout.scratch("source");
        Path source = directory.resolve("Once.java");
        Files.writeString(source, "void main() { IO.println(\"first\"); }\n");
        Path noDirectory = Files.writeString(directory.resolve("file"), "");
        assertThat(runSource(source, noDirectory).out()).isEqualTo("first\n");
    }

    /// Runs the source with a link to the ranks' AOT cache, which the launcher would otherwise create again.
    private static ProcessOutcome runSource(Path source, Path cache) throws Exception {
        Path aot = cache.resolve("tutti", "aot");
        if (Files.isDirectory(cache.getParent())
                && !Files.exists(aot, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(cache)) {
            Files.createDirectories(aot.getParent());
            Files.createSymbolicLink(aot, Checkout.SCRATCH.resolve("cache", "tutti", "aot"));
        }
        ProcessOutcome ended = Command.tutti("run", "-n", "1", source.toString())
                .env("XDG_CACHE_HOME", cache.toString())
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended;
    }

    /// Returns the inode of every file. Rewriting a file changes the inode; using a file changes only the time
    /// stamps.
    private static Map<Path, Object> identities(Path cache) throws IOException {
        Map<Path, Object> identities = new TreeMap<>();
        try (Stream<Path> files = Files.walk(cache.resolve("tutti").resolve("programs"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.isRegularFile(file)) identities.put(file, Files.getAttribute(file, "unix:ino"));
            }
        }
        return identities;
    }
}
