package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// The programs and commands of docs/tutorial.md work as described on the page. By default, three programs run.
@Tag("ci")
class TutorialTest extends JobTest {
    /// A command of the page, the lines that it prints in any order, and the shell commands that read the
    /// program's file or call the program's service.
    private record Step(String command, List<String> output, List<Step> clients) {}

    private static final Pattern COMMAND = Pattern.compile("    (tutti run|tutti serve|curl|python3) .*");

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
            } else if (COMMAND.matcher(line).matches()) {
                List<String> command = indented(lines, i);
                i += command.size() + 1;
                List<String> output = indented(lines, i);
                Step step = new Step(String.join("\n", command), output, new ArrayList<>());
                if (step.command.startsWith("tutti ")) steps.add(step);
                else steps.getLast().clients.add(step);
            }
        }
        assertThat(steps).hasSize(12);
        assertThat(steps.stream().flatMap(step -> step.clients.stream())).hasSize(2);
        return steps.stream()
                .filter(step -> Tier.FULL || step.command.matches(".*(Stuck|Words)\\.java"))
                .map(step -> DynamicTest.dynamicTest(step.command, () -> run(step, where)))
                .toList();
    }

    /// Returns the indented lines from this line on.
    private static List<String> indented(List<String> lines, int from) {
        return lines.subList(from, lines.size()).stream()
                .takeWhile(line -> line.startsWith("    "))
                .map(String::strip)
                .toList();
    }

    private static void run(Step step, Path where) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(step.command.split(" ")));
        if (step.command.startsWith("tutti serve ")) {
            serve(step, arguments, where);
            return;
        }
        ProcessOutcome ended =
                tutti(arguments.subList(1, arguments.size())).in(where).run();
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
        for (Step client : step.clients) assertPrints(client, client.command, where);
    }

    private static Command tutti(List<String> arguments) {
        return Command.tutti(arguments.toArray(String[]::new));
    }

    /// Starts the service at a free port, because the port on the page may be in use.
    private static void serve(Step step, List<String> arguments, Path where) throws Exception {
        arguments.addAll(2, List.of("--allow-run-as-root", "--port", "0"));
        Child service = tutti(arguments.subList(1, arguments.size())).in(where).start();
        service.awaitErr(step.output.getFirst().replaceFirst("8080$", ""));
        String address = Files.readString(where.resolve("tutti-serve/address")).strip();
        for (Step client : step.clients)
            assertPrints(client, client.command.replace("http://127.0.0.1:8080", address), where);
        Processes.signal("TERM", service.pid());
        service.await();
    }

    private static void assertPrints(Step client, String command, Path where) throws Exception {
        String program = command.split(" ")[0];
        Way.need(Way.isOnPath(program), program + " is not installed");
        ProcessOutcome ended = Command.of("sh", "-c", command).in(where).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out().lines().map(String::strip).toList()).isEqualTo(client.output);
    }
}
