package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;

/// The programs and commands of docs/tutorial.md work as the page describes; by default three programs.
@Tag("ci")
class TutorialTest extends JobTest {
    /// A command of the page, and the lines that it is to print, in any order.
    private record Step(String command, List<String> output) {}

    @TestFactory
    List<DynamicTest> everyCommandPrintsTheOutputOfThePage() throws IOException {
        Path where = Checkout.scratch("tutorial");
        List<String> lines = Files.readAllLines(Checkout.ROOT.resolve("docs/tutorial.md"));
        List<Step> steps = new ArrayList<>();
        String name = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.matches(".*`\\w+\\.java`.*")) name = line.replaceFirst(".*`(\\w+\\.java)`.*", "$1");
            if (line.equals("```java")) {
                int end = lines.subList(i, lines.size()).indexOf("```") + i;
                String text = String.join("\n", lines.subList(i + 1, end));
                if (text.contains("void main(")) Files.writeString(where.resolve(name), text);
                i = end;
            } else if (line.startsWith("    tutti run ")) {
                List<String> output = new ArrayList<>();
                for (int k = i + 2; k < lines.size() && lines.get(k).startsWith("    "); k++) {
                    output.add(lines.get(k).strip());
                }
                steps.add(new Step(line.strip(), output));
            }
        }
        assertThat(steps).hasSize(8);
        return steps.stream()
                .filter(step -> Tier.FULL || step.command.matches(".*(Stuck|Words)\\.java"))
                .map(step -> DynamicTest.dynamicTest(step.command, () -> run(step, where)))
                .toList();
    }

    private static void run(Step step, Path where) throws Exception {
        String[] arguments = step.command.split(" ");
        ProcessOutcome ended = Command.tutti(Arrays.copyOfRange(arguments, 1, arguments.length))
                .in(where)
                .run();
        if (step.command.endsWith("Stuck.java")) {
            assertThat(ended.code()).as("%s", ended).isEqualTo(1);
            assertThat(ended.err()).contains("deadlock: 0 recv←1 (Stuck.java:10) → 1 recv←0 (Stuck.java:10) → 0");
            return;
        }
        assertThat(ended.code()).as("%s", ended).isZero();
        if (step.command.contains("--profile"))
            assertThat(ended.out() + ended.err()).contains("Heat.java:");
        else
            assertThat(ended.out().lines().map(String::strip).sorted().toList()).isEqualTo(step.output);
    }
}
