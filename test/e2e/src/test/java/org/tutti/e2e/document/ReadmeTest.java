package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// The deadlock on the first screen of README.md is reported with the lines on the page. `TuttiScriptTest` runs
/// the other commands of the page.
class ReadmeTest extends JobTest {
    private static final Example DEADLOCK = Example.named("Deadlock");
    private static final String INDENT = "    ";

    private static List<String> page() throws IOException {
        return Files.readAllLines(Checkout.ROOT.resolve("README.md"));
    }

    /// Returns the indented lines after the command, without blank lines.
    private static List<String> shown() throws IOException {
        return page().stream()
                .dropWhile(line -> !line.equals(INDENT + DEADLOCK.command()))
                .skip(1)
                .takeWhile(line -> line.isBlank() || line.startsWith(INDENT))
                .filter(line -> !line.isBlank())
                .map(String::strip)
                .toList();
    }

    /// Returns the text with all durations replaced by the same number.
    private static String general(Stream<String> lines) {
        return lines.map(line -> line.replaceAll("\\d+\\.\\d s", "4.1 s")).collect(Collectors.joining("\n"));
    }

    @Test
    @Tag("ci")
    void deadlockIsReportedWithTheLinesOfThePage() throws Exception {
        ProcessOutcome ended = DEADLOCK.run(Way.SHM);
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.out()).as("%s", ended).isEmpty();
        assertThat(shown()).as("output of %s in README.md", DEADLOCK.command()).hasSize(1);
        assertThat(general(Stream.of(ended.lastErrorLine())))
                .isEqualTo(general(shown().stream()))
                .isEqualTo(general(DEADLOCK.output().stream()));
    }

    @Test
    void programsOfThePageAreTheExamples() throws IOException {
        String page = String.join("\n", page());
        for (String name : List.of("Deadlock", "Readme")) {
            List<String> program = Files.readAllLines(Example.named(name).file()).stream()
                    .dropWhile(line -> !line.equals("void main() {"))
                    .map(line -> line.replaceAll(" +//", " //"))
                    .toList();
            assertThat(page.replaceAll("(\\S) +//", "$1 //")).as(name).contains(String.join("\n", program));
        }
    }
}
