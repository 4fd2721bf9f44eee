package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Tests the unpacked distribution. The directory name contains a space, and the command is called through a
/// link on the PATH, from a different directory.
class DistributionTest {
    /// A link to a file, without the heading; links to other sites and to headings of the same page do not
    /// match.
    private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)#\\s]+)[^)]*\\)");

    /// Code, in which parentheses may follow brackets.
    private static final Pattern CODE = Pattern.compile("(?ms)```.*?```|^ {4}[^\\n]*$");

    private static final int FEWEST_LINKS = 100;

    private static Path home, elsewhere;

    @BeforeAll
    static void unpack() throws Exception {
        Path target = Checkout.module("tutti-distribution").resolve("target");
        Path archive = null;
        if (Checkout.isPackaged() && Files.isDirectory(target)) {
            try (Stream<Path> files = Files.list(target)) {
                archive = files.filter(f -> f.toString().endsWith(".tar.gz"))
                        .findFirst()
                        .orElse(null);
            }
        }
        Way.need(archive != null, "the distribution is not packaged; ./mvnw verify does it");
        Path folder = Files.createDirectory(Checkout.scratch("distribution").resolve("opt tutti"));
        ProcessOutcome tar = Command.of("tar", "xzf", archive.toString(), "-C", folder.toString())
                .run();
        assertThat(tar.code()).as("%s", tar).isZero();
        try (Stream<Path> inside = Files.list(folder)) {
            home = inside.findFirst().orElseThrow();
        }
        // creating the cache at the first start costs many seconds of CPU time; the JVM ignores an invalid
        // cache
        if (!Tier.FULL) Files.writeString(home.resolve("lib/tutti.aot"), "");
        elsewhere = Checkout.scratch("elsewhere");
        Files.createSymbolicLink(elsewhere.resolve("tutti"), home.resolve("bin/tutti"));
    }

    private static String version() {
        return home.getFileName().toString().substring("tutti-".length());
    }

    private static ProcessOutcome tutti(String... arguments) throws IOException, InterruptedException {
        return Command.of(Stream.concat(
                                Stream.of("sh", "-c", "PATH=$PWD:$PATH; exec tutti \"$@\"", "sh"), Stream.of(arguments))
                        .toList())
                .in(elsewhere)
                .run();
    }

    @Test
    @Tag("ci")
    void commandRunsProgramsFromAnywhere() throws Exception {
        Files.writeString(elsewhere.resolve("Sum.java"), """
                import org.tutti.mpi.*;

                void main(String[] args) {
                    try (Mpi mpi = Mpi.init()) {
                        int sum = mpi.world().allreduce(mpi.world().rank(), Op.SUM);
                        if (mpi.world().rank() == 0) IO.println(sum);
                    }
                }
                """);
        ProcessOutcome ended = tutti("run", "-n", "3", "Sum.java");
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out().strip()).isEqualTo("3");
        assertThat(ended.err()).isEmpty();
        if (Tier.FULL) assertThat(home.resolve("lib/tutti.aot")).isNotEmptyFile();
    }

    /// The modules are in one jar, because every jar on the class path slows down the start of a rank. The
    /// merged jar must contain all service entries.
    @Test
    void modulesAreOneJar() throws Exception {
        Path lib = home.resolve("lib");
        List<Path> ours;
        try (Stream<Path> files = Files.list(lib)) {
            ours = files.filter(f -> f.getFileName().toString().startsWith("tutti-"))
                    .sorted()
                    .toList();
        }
        assertThat(ours)
                .extracting(f -> f.getFileName().toString().replaceFirst("-[0-9].*", ""))
                .containsExactly("tutti-all", "tutti-cli");
        try (FileSystem all = FileSystems.newFileSystem(ours.getFirst())) {
            Path services = all.getPath("META-INF/services");
            assertThat(Files.readAllLines(services.resolve("org.tutti.spi.EngineProvider")))
                    .containsExactlyInAnyOrder("org.tutti.shm.ShmProvider", "org.tutti.libmpi.LibmpiProvider");
            assertThat(Files.readString(services.resolve("org.tutti.spi.ObserverProvider")))
                    .contains("org.tutti.inspect.Recording");
            assertThat(all.getPath("module-info.class")).doesNotExist();
        }
    }

    @Test
    void linksOfThePagesLeadToFilesOfTheArchive() throws Exception {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(home)) {
            pages = files.filter(f -> f.toString().endsWith(".md")).toList();
        }
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path page : pages) {
            Matcher link = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
            while (link.find()) {
                links++;
                if (!Files.exists(page.resolveSibling(link.group(1)))) {
                    dead.add(home.relativize(page) + ": " + link.group(1));
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(links).isGreaterThanOrEqualTo(FEWEST_LINKS);
    }

    @Test
    @Tag("ci")
    void distributionContainsTheDropIns() throws Exception {
        Files.writeString(elsewhere.resolve("Old.java"), """
                public class Old {
                    public static void main(String[] args) throws mpi.MPIException {
                        mpi.MPI.Init(args);
                        if (mpi.MPI.COMM_WORLD.getRank() == 0) System.out.println(mpi.MPI.COMM_WORLD.getSize());
                        mpi.MPI.Finalize();
                    }
                }
                """);
        ProcessOutcome ended = tutti("run", "--with", "openmpi-java", "-n", "2", "Old.java");
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out().strip()).isEqualTo("2");
    }

    @Test
    void missingLibraryIsNamedWithTheCommandThatFetchesIt() throws Exception {
        ProcessOutcome ended = tutti("run", "--with", "torch", "-n", "2", "Sum.java");
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err().strip())
                .isEqualTo(
                        "tutti: --with torch: the library is not installed; tutti fetch torch downloads it (108 MiB)");
        try (Stream<Path> files = Files.list(home.resolve("with/torch"))) {
            assertThat(files.map(f -> f.getFileName().toString()))
                    .containsExactlyInAnyOrder("linux-x86_64.tsv", "tutti-train-torch-" + version() + ".jar");
        }
    }

    @Test
    void examplesAreListedWithTheRunCommand() throws Exception {
        ProcessOutcome ended = tutti("examples");
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out())
                .contains("To run Hello: " + home.resolve("bin/tutti") + " run -n 4 "
                        + home.resolve("examples/Hello.java"));
    }

    @Test
    void distributionContainsPagesAndData() {
        assertThat(List.of("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "Containerfile", "docs", "examples/data"))
                .allSatisfy(name -> assertThat(home.resolve(name)).exists());
    }
}
