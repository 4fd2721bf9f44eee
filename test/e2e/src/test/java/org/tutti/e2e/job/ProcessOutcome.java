package org.tutti.e2e.job;

import java.util.List;
import java.util.stream.Collectors;

/// The exit code and the output of a [Child].
public record ProcessOutcome(List<String> command, int code, String out, String err) {
    private static final int MOST_CHARS = 20_000;

    /// Returns the last line of stderr, in which a failed command must print the cause.
    public String lastErrorLine() {
        List<String> lines = err.lines().filter(line -> !line.isBlank()).toList();
        return lines.isEmpty() ? "" : lines.getLast();
    }

    /// Returns stderr without the line about a slow load of a tensor library, which depends on the load of the
    /// machine.
    public String problems() {
        return err.lines()
                .filter(line -> !line.contains("tutti: loading "))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }

    /// Returns the lines of stdout, sorted, because ranks print in any order.
    public List<String> sortedOut() {
        return out.lines().sorted().toList();
    }

    @Override
    public String toString() {
        return "%s%nexit code %d%n--- stdout%n%s--- stderr%n%s".formatted(shown(command), code, shown(out), shown(err));
    }

    /// Returns the command without the parts that all commands have.
    static String shown(List<String> command) {
        int main = command.indexOf("org.tutti.cli.Main");
        return main < 0
                ? String.join(" ", command)
                : "tutti " + String.join(" ", command.subList(main + 1, command.size()));
    }

    private static String shown(String text) {
        return text.length() < MOST_CHARS ? text : text.substring(0, MOST_CHARS) + "…\n";
    }
}
