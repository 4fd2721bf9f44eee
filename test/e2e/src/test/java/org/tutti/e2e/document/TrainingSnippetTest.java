package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// The Java code of the pages about training runs: one job executes all snippets that belong to the program of
/// a page, in order. With `-Pfull`, the complete programs run, too. [SnippetTest] compiles each snippet
/// separately.
@Tag("ci")
class TrainingSnippetTest extends JobTest {
    private static final String FENCE = "```java", END = "```", MAIN = "void main(", DOTS = "// …";

    /// Creates the input of the page on PyTorch, except `bert.pt2`: a module in TorchScript, and the parameters
    /// of the network under other names.
    private static final String MODELS = """
            if (group.rank() == 0) {
                JitModule written = new JitModule(new QualifiedName("Net"));
                written.register_parameter("weight", ones(2, 10).set_requires_grad(true), false);
                written.define("def forward(self, x):\\n    return torch.mm(x, self.weight.t())\\n");
                written.save("net.pt");
                Path directory = java.nio.file.Files.createDirectory(Path.of("pretrained"));
                Safetensors numbers = TorchState.of(model, null, Map.of()).mapNames(name -> "model." + name);
                try (var to = java.nio.channels.FileChannel.open(directory.resolve("model.safetensors"),
                        java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
                    numbers.write(to);
                }
            }
            group.barrier();
            """;

    /// Returns the program of a page. Each snippet is a block at the line numbers of the page, so that an
    /// exception names the line of the page.
    private static List<String> program(String page, String first) throws IOException {
        List<String> lines = Files.readAllLines(Checkout.ROOT.resolve(page));
        String[] program = new String[lines.size()];
        Arrays.fill(program, "");
        String last = "";
        int snippets = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).equals(FENCE)) continue;
            int end = i + lines.subList(i, lines.size()).indexOf(END);
            List<String> own = lines.subList(i + 1, end);
            int dots = own.stream().map(String::strip).toList().indexOf(DOTS);
            if (dots >= 0 && last.isEmpty()) {
                for (int k = 0; k < dots; k++) program[i + 1 + k] = own.get(k);
                program[i + 1 + dots] = first.replace('\n', ' ');
                last = String.join(" ", own.subList(dots + 1, own.size()));
            } else if (own.stream().noneMatch(line -> line.contains(MAIN))) {
                assertThat(last)
                        .as("%s, line %d: a snippet before the program", page, i + 1)
                        .isNotEmpty();
                for (int k = 0; k < own.size(); k++) program[i + 1 + k] = own.get(k);
                program[i] = "{";
                program[end] = "}";
                snippets++;
            }
        }
        assertThat(snippets).as("snippets of %s", page).isPositive();
        List<String> all = new ArrayList<>(Arrays.asList(program));
        all.add("if (group.rank() == 0) IO.println(\"snippets: " + snippets + "\"); " + last);
        return all;
    }

    private static ProcessOutcome run(String page, List<String> program, String with, int ranks, String... arguments)
            throws Exception {
        Path where = Checkout.scratch("pages");
        Files.copy(Checkout.ROOT.resolve("examples/data/verse-bert/model.pt2"), where.resolve("bert.pt2"));
        Path file = Files.write(where.resolve(page.replaceAll("\\W", "_") + ".java"), program);
        List<String> command = new ArrayList<>(Way.SHM.run(ranks));
        command.addAll(List.of("--with", with, "--jvm", Command.RANKS_FLAG, file.toString()));
        command.addAll(Arrays.asList(arguments));
        List<String> flags = List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT);
        ProcessOutcome ended = Command.launcher(flags, command).in(where).run();
        assertThat(ended.code())
                .as("%s; line numbers of the program refer to the page: %s", page, ended)
                .isZero();
        return ended;
    }

    private static void needAdapter(String name) {
        Way.need(
                Files.isDirectory(Checkout.module("tutti-train-" + name).resolve("target/lib")),
                "the adapter to " + name + " is copied to target/lib only by package");
    }

    @Test
    void everySnippetOfThePageOnPyTorchRuns() throws Exception {
        needAdapter("torch");
        ProcessOutcome ended = run("docs/from-pytorch.md", program("docs/from-pytorch.md", MODELS), "torch", 2);
        assertThat(ended.out())
                .contains("not in the file: [], not in the model: []\n", "step 1: test accuracy 0.9800", "snippets: ");
    }

    @Test
    @Tag("full")
    void everySnippetOfThePageOnHorovodRuns() throws Exception {
        needAdapter("torch");
        ProcessOutcome ended = run("docs/from-horovod.md", program("docs/from-horovod.md", ""), "torch", 2);
        assertThat(ended.out()).contains("snippets: ");
    }

    /// Returns the snippets with a `main` method into which no other snippet is inserted.
    private static List<List<String>> whole(String page) throws IOException {
        List<String> lines = Files.readAllLines(Checkout.ROOT.resolve(page));
        List<List<String>> whole = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).equals(FENCE)) continue;
            List<String> own =
                    lines.subList(i + 1, i + lines.subList(i, lines.size()).indexOf(END));
            boolean isFrame = own.stream().anyMatch(line -> line.strip().equals(DOTS));
            if (!isFrame && own.stream().anyMatch(line -> line.contains(MAIN))) whole.add(own);
        }
        return whole;
    }

    @Test
    @Tag("full")
    void wholeProgramsRun() throws Exception {
        needAdapter("torch");
        List<String> spawning = whole("docs/from-pytorch.md").getFirst();
        assertThat(run("docs/from-pytorch.md", spawning, "torch", 1).out().lines())
                .containsExactlyInAnyOrder("rank 0 of 2", "rank 1 of 2");
        List<String> program = whole("docs/from-horovod.md").getFirst();
        assertThat(run("docs/from-horovod.md", program, "torch", 2).out()).isEqualTo("{epochs=30} 0.5\n");
    }

    /// Creates images of three classes: dark, grey and bright.
    private static Path pictures() throws IOException {
        Path directory = Checkout.scratch("pictures");
        SplittableRandom random = new SplittableRandom(1);
        for (int kind = 0; kind < 3; kind++) {
            Path of = Files.createDirectory(directory.resolve("class" + kind));
            for (int i = 0; i < 60; i++) {
                byte[] picture = new byte[256];
                for (int k = 0; k < picture.length; k++) picture[k] = (byte) (80 * kind + random.nextInt(60));
                Files.write(of.resolve(i + ".bin"), picture);
            }
        }
        return directory;
    }

    @Test
    @Tag("full")
    void theUserDefinedModelLearns() throws Exception {
        needAdapter("torch");
        List<String> program = whole("docs/training.md").getFirst();
        for (int ranks = 1; ranks <= 3; ranks++) {
            ProcessOutcome ended =
                    run("docs/training.md", program, "torch", ranks, pictures().toString());
            Matcher right = Pattern.compile("right: (\\d+) of 36\n").matcher(ended.out());
            assertThat(right.find()).as("%s", ended).isTrue();
            assertThat(Integer.parseInt(right.group(1))).as("%s", ended).isGreaterThanOrEqualTo(30);
        }
    }

    @Test
    @Tag("full")
    void programsOfDjlRun() throws Exception {
        needAdapter("djl");
        List<List<String>> programs = whole("docs/from-djl.md");
        assertThat(programs).hasSize(3);
        run("docs/from-djl.md", programs.getFirst(), "djl", 1);
        for (List<String> one : programs.subList(1, 3)) run("docs/from-djl.md", one, "djl", 2);
    }
}
