package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.tutti.launch.machine.SearchPath;

/// Completes command lines in the shells that are installed.
@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class CompletionTest {
    /// Command lines up to the cursor, each with the expected candidates; empty if the shell is expected to
    /// complete file names.
    private static final Map<String, List<String>> LINES = new TreeMap<>();

    static {
        add(
                "tutti ",
                String.join(
                        " ",
                        new TreeSet<>(
                                Commands.commandLine(false).getSubcommands().keySet())));
        add("tutti r", "run");
        add("tutti d", "doctor dump");
        add("tutti s", "serve stacks");
        add("tutti ex", "examples export");
        add("tutti fetch ", "djl torch torch-cuda");
        add("tutti examples --show KMea", "KMeans");
        add("tutti export --h", "--help");
        add("tutti completion ", "bash fish zsh");
        add("tutti completion z", "zsh");
        add("tutti doctor ", "env explain gpu");
        add("tutti doctor e", "env explain");
        add("tutti bench comp", "compare");
        add("tutti bench latenc", "latency");
        add("tutti bench --plo", "--plot");
        add("tutti bench latency --cs", "--csv");
        add("tutti bench compare --l", "--launches");
        add("tutti bench compare --thr", "--thread-multiple");
        add("tutti examples --c", "--copy");
        add("tutti run --st", "--stall --stall-abort");
        add("tutti run --max-", "--max-restarts");
        add("tutti run --max_", "--max_restarts");
        add("tutti run -n 4 --wi", "--with");
        add("tutti run --engine ", "libmpi shm");
        add("tutti run --engine s", "shm");
        add("tutti run --mpi o", "openmpi");
        add("tutti run --with m", "mpj");
        add("tutti run --with torch", "torch torch-cuda");
        add("tutti run --color ", "always auto never");
        add("tutti run --quiet --color n", "never");
        add("tutti run --bind-to c", "core");
        add("tutti serve --por", "--port");
        add("tutti serve --tls", "--tls --tls-password-file");
        add("tutti serve --mpi m", "mpich");
        add("tutti run He", "");
        add("tutti run -n 2 He", "");
        add("tutti run --wdir He", "");
        add("tutti run Hello.java He", "");
    }

    @TempDir
    Path directory;

    private static void add(String line, String words) {
        LINES.put(line, words.isEmpty() ? List.of("Hello.java") : List.of(words.split(" ")));
    }

    @BeforeEach
    void createFile() throws IOException {
        Files.writeString(directory.resolve("Hello.java"), "");
    }

    private Path script(String shell) throws IOException {
        Assumptions.assumeTrue(SearchPath.first(shell) != null, shell + " is not installed");
        MainOutcome printed = MainOutcome.ofInstallation("completion", shell);
        assertThat(printed.code()).as("%s", printed).isZero();
        return Files.writeString(directory.resolve("tutti." + shell), printed.out());
    }

    private String run(String input, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("HOME", directory.toString());
        builder.environment().put("ZDOTDIR", directory.toString());
        builder.environment().put("TERM", "dumb");
        Path output = directory.resolve("output");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try (var stdin = process.outputWriter()) {
            stdin.write(input);
        }
        process.waitFor();
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    @Test
    void bashCompletes() throws Exception {
        Path script = script("bash");
        StringBuilder program = new StringBuilder(". " + script + "\n");
        for (String line : LINES.keySet()) {
            program.append("COMP_WORDS=(")
                    .append(line)
                    .append(line.endsWith(" ") ? "''" : "")
                    .append(")\n");
            program.append("COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _tutti\n");
            // as `complete -o default` does
            program.append("(( ${#COMPREPLY[@]} )) || COMPREPLY=($(compgen -f ${COMP_WORDS[COMP_CWORD]}))\n");
            program.append("printf '%s\\n' \"").append(line).append("\" \"${COMPREPLY[@]}\" =\n");
        }
        compare(run(program.toString(), "bash"));
        assertThat(run(". " + script + "\ncomplete -p tutti\n", "bash"))
                .isEqualTo("complete -o default -F _tutti tutti\n");
        String value = "; COMP_CWORD=4; _tutti; echo ${COMPREPLY[@]}\n";
        assertThat(run(". " + script + "\nCOMP_WORDS=(tutti run --mpi = m)" + value, "bash"))
                .isEqualTo("mpich\n");
    }

    @Test
    void fishCompletes() throws Exception {
        Path script = script("fish");
        StringBuilder program = new StringBuilder("source " + script + "\n");
        for (String line : LINES.keySet()) {
            program.append("echo '")
                    .append(line)
                    .append("'; complete -C '")
                    .append(line)
                    .append("'; echo =\n");
        }
        compare(run(program.toString(), "fish", "--no-config"));
    }

    private static void compare(String printed) {
        Map<String, List<String>> completed = new TreeMap<>();
        for (String block : printed.split("\n=\n")) {
            List<String> lines = new ArrayList<>(block.lines().toList());
            completed.put(
                    lines.removeFirst(),
                    lines.stream().map(line -> line.split("\t")[0]).sorted().toList());
        }
        assertThat(completed).isEqualTo(LINES);
    }

    /// Types the lines on a terminal, because zsh completes only there. A function `tutti` prints the completed
    /// line.
    @Test
    @Tag("ci")
    void zshCompletesKeysOfATerminal() throws Exception {
        Path script = script("zsh");
        Assumptions.assumeTrue(SearchPath.first("script") != null, "script of util-linux is not installed");
        Files.writeString(directory.resolve(".zshrc"), "PS1='> '; . " + script + "; tutti() { print \"<$*>\"; }\n");
        List<String> expected = new ArrayList<>();
        StringBuilder keys = new StringBuilder();
        LINES.forEach((line, words) -> {
            if (words.size() > 1) return;
            keys.append(line).append("\t\n");
            expected.add("<"
                    + line.substring("tutti ".length(), line.lastIndexOf(' ') + 1)
                            .replaceFirst("^ ", "") + words.getFirst() + ">");
        });
        String printed = run(keys + "exit\n", "script", "-qec", "zsh -i", "/dev/null");
        assertThat(printed.lines().filter(line -> line.startsWith("<")).map(String::strip))
                .as(printed)
                .containsExactlyElementsOf(expected);
    }
}
