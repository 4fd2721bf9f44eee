package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import picocli.CommandLine;

@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class HelpTest {
    private static String help(String... words) {
        MainOutcome help = MainOutcome.of(words);
        assertThat(help.code()).as("%s", help).isZero();
        assertThat(help.err()).isEmpty();
        return help.out();
    }

    @Test
    void theHelpOfRunFitsOnOneScreen() {
        for (String command : List.of("run", "serve")) {
            assertThat(help(command, "--help").lines().toList())
                    .hasSizeLessThanOrEqualTo(50)
                    .allMatch(line -> line.length() <= 80)
                    .first()
                    .isEqualTo("Usage: tutti " + command + " [options] PROGRAM [arguments]");
        }
        assertThat(help("run", "--help"))
                .contains("\n  -n, -np N               Number of ranks.")
                .doesNotContain("--cpu-set")
                .contains("tutti run --help all shows more options: where ranks run;");
    }

    @Test
    void everyOptionIsInTheCompleteHelp() {
        for (String command : List.of("run", "serve")) {
            String all = help(command, "--help", "all");
            assertThat(all.lines()).allMatch(line -> line.length() <= 80);
            for (RunOption option : RunOption.values()) {
                assertThat(all).contains("\n  " + String.join(", ", option.names));
            }
            assertThat(help("help", command, "all")).isEqualTo(all);
        }
        assertThat(help("bench", "--help", "all")).contains("--huge-size BYTES");
    }

    @Test
    void afterAProgramTheWordsBelongToIt() {
        CommandLine line = Commands.commandLine(false);
        assertThat(OptionHelp.isForAll(List.of("serve", "--help", "all"), line)).isTrue();
        assertThat(OptionHelp.isForAll(List.of("bench", "compare", "-h", "all"), line))
                .isTrue();
        assertThat(OptionHelp.isForAll(List.of("serve", "App", "--help", "all"), line))
                .isFalse();
        assertThat(OptionHelp.isForAll(List.of("all"), line)).isFalse();
    }

    @Test
    void benchAndServeShowTheirOwnOptionsFirst() {
        String serve = help("serve", "--help");
        assertThat(serve).contains("--port PORT").doesNotContain("--engine");
        String bench = help("bench", "--help");
        assertThat(bench.indexOf("Tests:")).isPositive().isLessThan(bench.indexOf("--message-size"));
        assertThat(bench).doesNotContain("--huge-size").contains("tutti bench --help all shows more options");
    }

    @Test
    void noHelpHasLinesOfMoreThan80Columns() {
        for (List<String> command : List.of(
                List.<String>of(),
                List.of("bench"),
                List.of("bench", "compare"),
                List.of("doctor"),
                List.of("doctor", "gpu"),
                List.of("examples"),
                List.of("export"),
                List.of("ps"),
                List.of("completion"))) {
            List<String> words = new java.util.ArrayList<>(command);
            words.add("--help");
            assertThat(help(words.toArray(new String[0])).lines())
                    .as("%s", command)
                    .allMatch(line -> line.length() <= 80);
        }
    }
}
