package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class SuggestionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rnu | there is no command rnu; did you mean run?",
                "runn | there is no command runn; did you mean run?",
                "exmaples | there is no command exmaples; did you mean examples?",
                "compl | there is no command compl; did you mean completion?",
                "xyzzy | there is no command xyzzy; tutti --help lists all commands",
                "r | there is no command r; tutti --help lists all commands",
                "doctor explian X | there is no command explian; did you mean explain?",
                "ps all | tutti ps has no argument all; tutti ps --help explains it",
                "run --profle A.java | unknown option --profle; did you mean --profile?",
                "run --n 4 A.java | unknown option --n; did you mean -n?",
                "run -profile A.java | unknown option -profile; did you mean --profile?",
                "run --tiemout=5 A.java | unknown option --tiemout=5; did you mean --timeout?",
                "run --debug-no A.java | unknown option --debug-no; did you mean --debug-nosuspend?",
                "run --xyzzy A.java | unknown option --xyzzy; tutti run --help all lists all options",
                "init --maven demo | 'unknown option --maven; tutti init has --gradle, --single, --kotlin, --pool, --train, --help'",
                "fetch --quick | unknown option --quick; tutti fetch has --help",
                "run --tag-output=true A.java | --tag-output has no value; leave out =true",
                "run A.java : --tag-output=1 B.java | --tag-output has no value; leave out =1",
                "run --color blue A.java | --color blue: there are auto, always and never",
                "serve --porf 1 A.java | unknown option --porf; did you mean --port?",
                "bench latency --pikle | unknown option --pikle; did you mean --pickle?",
                "completion | 'completion: name a shell: tutti completion bash, zsh or fish'",
                "completion tcsh | 'completion tcsh: name a shell: tutti completion bash, zsh or fish'",
            })
    void aMistakeIsOneSentenceWithTheRemedy(String words, String text) {
        MainOutcome ended = MainOutcome.of(words.split(" "));
        assertThat(ended.err()).isEqualTo("tutti: " + text + "\n");
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void theNameOfAnExampleIsRecognised() {
        String run = "; did you mean the example, " + MainOutcome.ROOT + "/tutti run -n 4 " + MainOutcome.ROOT
                + "/examples/Hello.java?\n";
        for (String word : new String[] {"Hello", "Hello.java", "Helo", "examples/Hlelo.java"}) {
            MainOutcome ended = MainOutcome.ofInstallation("run", "-n", "4", word);
            assertThat(ended.err()).endsWith(run);
            assertThat(ended.code()).isEqualTo(2);
            assertThat(MainOutcome.of("run", "-n", "4", word).err()).doesNotContain("example, ");
        }
        assertThat(MainOutcome.ofInstallation("run", "Xyzzy").err()).doesNotContain("example, ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Points.kt | Points.kt is Kotlin, which tutti run does not compile; compile it first, and run the class:"
                        + " tutti run -cp Points.jar PointsKt; see docs/languages.md",
                "words.scala | words.scala is Scala, which tutti run does not compile; compile it first, and run the class:"
                        + " tutti run -cp words.jar <main class>; see docs/languages.md",
                "maps.clj | maps.clj is Clojure; run it with the class clojure.main: tutti run -cp <libraries>"
                        + " clojure.main maps.clj; see docs/languages.md",
            })
    void aFileOfAnotherLanguageIsRecognised(String name, String text, @TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "");
        assertThat(MainOutcome.of("run", file.toString()).err().replace(directory + "/", ""))
                .isEqualTo("tutti: " + text + "\n");
        assertThat(MainOutcome.of("run", name).err()).startsWith("tutti: no class " + name + " on the class path");
    }

    @Test
    void theProgramInADirectoryIsNamed(@TempDir Path directory) throws IOException {
        Path java = Files.createDirectories(directory.resolve("src/main/java"));
        String text = java + " is a directory; ";
        assertThat(MainOutcome.of("run", java.toString()).err()).startsWith("tutti: " + text + "name a source file");
        Files.writeString(java.resolve("Part.java"), "class Part {}");
        Path main = Files.writeString(java.resolve("Main.java"), "void main() {}");
        assertThat(MainOutcome.ofInstallation("run", java.toString()).err())
                .isEqualTo("tutti: " + text + "did you mean the source file " + main + "?\n");
        Files.writeString(java.resolve("Other.java"), "void main() {}");
        assertThat(MainOutcome.of("run", java.toString()).err()).startsWith("tutti: " + text + "name a source file");
    }

    /// The examples contain a program of this name, too.
    @Test
    void onlyOneSuggestionIsMade() throws IOException {
        Path file = Files.createTempDirectory(Path.of("target"), "hello").resolve("Hello.java");
        Files.writeString(file, "void main() {}");
        assertThat(MainOutcome.ofInstallation(
                                "run", file.resolveSibling("Hello").toString())
                        .err())
                .endsWith("; did you mean the source file " + file + "?\n")
                .containsOnlyOnce("did you mean");
    }
}
