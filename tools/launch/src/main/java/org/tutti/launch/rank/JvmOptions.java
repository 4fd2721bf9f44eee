package org.tutti.launch.rank;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.CommandOutput;
import org.tutti.launch.machine.JavaCommand;
import org.tutti.launch.program.ProgramSpec;

/// Checks `--jvm` before ranks are started, so that a mistake results in a single message, not in one per JVM.
public final class JvmOptions {
    private JvmOptions() {}

    private static final Duration LONGEST = Duration.ofSeconds(20);

    /// Options that every JVM accepts; not checked, because a check costs 50 ms.
    private static final String[] HARMLESS = {"-D", "-ea", "-da", "-esa", "-dsa", "-XX:TieredStopAtLevel=1"};

    /// Options with effects beyond a setting, such as files, agents or a debugger connection; not checked,
    /// because the check would have the same effects.
    private static final String[] ACTIVE = {
        "-Xrun",
        "-Xlog",
        "-Xdebug",
        "-Xshare",
        "-XX:AOT",
        "-XX:Archive",
        "-XX:Start",
        "-XX:Flight",
        "-XX:On",
        "-agent",
        "-javaagent",
        "@",
        "--dry-run",
        "-version",
        "--version",
        "-show",
        "--show",
        "-help",
        "--help",
        "-h",
        "-?",
        "-jar",
        "-cp",
        "-classpath",
        "--class-path",
        "-m",
        "--module=",
        "-X ",
        "--source"
    };

    /// @param ranks the number of ranks that share the memory of a machine
    /// @param processors the number of processors for a JVM; 0 if unknown
    /// @throws UsageException if a JVM does not start with these options
    public static void check(ProgramSpec spec, int ranks, int processors) {
        List<String> asked = new ArrayList<>();
        boolean isFirst = true;
        for (String option : spec.jvm()) {
            if (option.isEmpty() || isFirst && !option.startsWith("-") && !option.startsWith("@")) {
                throw new UsageException("--jvm '" + option + "': not an option of the JVM; options begin with -");
            }
            isFirst = false;
            if (!option.startsWith("-")) return; // the value of the previous option: checked by the rank
            if (!begins(option, HARMLESS) && !begins(option, ACTIVE) && !isSize(option)) asked.add(option);
        }
        if (asked.isEmpty()) return;
        List<String> command = new ArrayList<>(List.of(JavaCommand.path()));
        command.addAll(RankCommand.flags(ranks, processors, spec.jvm()));
        command.addAll(asked);
        command.add("-version");
        String complaint = complaint(command);
        if (!complaint.isEmpty()) {
            throw new UsageException(
                    "--jvm " + String.join(" --jvm ", asked) + ": the JVM does not start: " + complaint);
        }
    }

    /// Whether the option is the size of the heap or of stacks, such as `-Xmx2g`.
    private static boolean isSize(String option) {
        if (!option.startsWith("-Xm") && !option.startsWith("-Xss")) return false;
        int at = "-Xmx".length();
        while (at < option.length() && Character.isDigit(option.charAt(at))) at++;
        int rest = option.length() - at;
        return at > "-Xmx".length() && (rest == 0 || rest == 1 && "kKmMgGtT".indexOf(option.charAt(at)) >= 0);
    }

    private static boolean begins(String option, String[] prefixes) {
        for (String prefix : prefixes) if (option.startsWith(prefix)) return true;
        return false;
    }

    /// Returns the JVM's error message; empty if the JVM starts, or if the check is not possible within
    /// [#LONGEST].
    private static String complaint(List<String> command) {
        CommandOutput asked = CommandOutput.of(command, LONGEST, environment -> {});
        if (asked == null || asked.code() <= 0) return "";
        StringBuilder words = new StringBuilder();
        for (String line : asked.out().lines().toList()) {
            boolean empty =
                    line.isBlank() || line.startsWith("Error: Could not create") || line.startsWith("Error: A fatal");
            if (!empty) words.append(words.length() == 0 ? "" : "; ").append(line.strip());
        }
        return words.toString();
    }
}
