package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class ExamplesCommandTest {
    private static final Path EXAMPLES = MainOutcome.ROOT.resolve("examples");

    @TempDir
    Path directory;

    private static String examples(String... words) {
        MainOutcome ended = MainOutcome.ofInstallation(
                Stream.concat(Stream.of("examples"), Stream.of(words)).toArray(String[]::new));
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended.out();
    }

    private static String refused(String... words) {
        MainOutcome ended = MainOutcome.ofInstallation(
                Stream.concat(Stream.of("examples"), Stream.of(words)).toArray(String[]::new));
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        return ended.err();
    }

    private static List<String> names(String list) {
        return list.lines()
                .filter(line -> line.startsWith("  "))
                .map(line -> line.strip().split(" ")[0])
                .toList();
    }

    @Test
    void listsEachExampleOnceBySubject() throws Exception {
        String list = examples();
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            assertThat(names(list))
                    .containsExactlyInAnyOrderElementsOf(
                            files.map(f -> f.getFileName().toString())
                                    .filter(name -> name.endsWith(".java"))
                                    .map(name -> name.replace(".java", ""))
                                    .toList());
        }
        assertThat(list)
                .startsWith("messages:\n  Hello")
                .doesNotContain("other programs:")
                .contains("\nTo run Hello: " + MainOutcome.ROOT + "/tutti run -n 4 " + EXAMPLES + "/Hello.java\n");
    }

    @Test
    void aWordSelectsSubjectsAndNames() {
        assertThat(names(examples("futures"))).isNotEmpty().allMatch(name -> name.startsWith("Futures"));
        assertThat(names(examples("GPUs"))).contains("DeviceSaxpy").doesNotContain("Hello");
        for (String word : List.of("KMeans", "KMeans.java", "examples/KMeans.java")) {
            assertThat(names(examples(word))).containsExactly("KMeans");
        }
        assertThat(refused("KMaens"))
                .isEqualTo("tutti: examples KMaens: no example has this word; did you mean KMeans?\n");
        assertThat(refused("xyzzy")).endsWith("no example has this word; tutti examples lists all\n");
        assertThat(refused("a", "b")).isEqualTo("tutti: examples a b: give one word\n");
        assertThat(refused("--copy", "Hello", "b", "c"))
                .isEqualTo("tutti: examples Hello b c: give a name and a directory\n");
    }

    @Test
    void showsTheSource() throws Exception {
        assertThat(examples("--show", "Hello")).isEqualTo(Files.readString(EXAMPLES.resolve("Hello.java")));
        assertThat(refused("--show")).endsWith("--show: name an example: tutti examples --show Hello\n");
        assertThat(refused("--show", "--copy", "Hello")).contains("exclude each other");
    }

    @Test
    void copiesAnExampleWithItsData() throws Exception {
        Path demo = directory.resolve("new/demo");
        String printed = examples("--copy", "KMeans", demo.toString());
        assertThat(printed)
                .endsWith("To run it: cd " + demo + " && " + MainOutcome.ROOT + "/tutti run -n 4 KMeans.java\n");
        for (String file : List.of("KMeans.java", "data/digits.csv.gz", "data/README.md")) {
            assertThat(demo.resolve(file)).hasSameBinaryContentAs(EXAMPLES.resolve(file));
            assertThat(printed).contains(demo.resolve(file) + "\n");
        }
        examples("--copy", "DigitsTraining.java", demo.toString()); // with the same data
        examples("--copy", "WithPython", demo.toString());
        assertThat(demo.resolve("with_python.py")).exists();
    }

    @Test
    void overwritesNoFile() throws Exception {
        Path mine = directory.resolve("KMeans.java");
        Files.writeString(mine, "mine");
        assertThat(refused("--copy", "KMeans", directory.toString()))
                .isEqualTo("tutti: examples --copy KMeans: " + mine
                        + " exists; name another directory: tutti examples --copy KMeans DIR\n");
        assertThat(mine).hasContent("mine");
        assertThat(refused("--copy", "Hello", mine.toString()))
                .startsWith("tutti: examples --copy Hello: " + mine + ": a file with this name exists");
        assertThat(examples("--copy", "Hello", directory + "/a b")).contains("cd '" + directory + "/a b' && ");
        assertThat(directory.resolve("data")).doesNotExist();
    }
}
