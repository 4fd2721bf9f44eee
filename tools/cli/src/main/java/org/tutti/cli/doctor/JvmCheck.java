package org.tutti.cli.doctor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks the JDK, and the options that every JVM on this machine reads from the environment.
final class JvmCheck implements DoctorCheck {
    /// The variables from which a JVM reads additional options.
    static final List<String> VARIABLES = List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS");

    private static final Pattern DEBUGGER = Pattern.compile("-agentlib:jdwp=\\S*");
    private static final Pattern PORT = Pattern.compile("address=(?:[^,\\s]*:)?(\\d+)");

    @Override
    public String title() {
        return "java";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        notes.ok(System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version") + " ("
                + System.getProperty("java.vendor") + "), " + System.getProperty("java.home"));
        boolean none = true;
        for (String variable : VARIABLES) {
            String value = examined.env().get(variable);
            if (value == null || value.isBlank()) continue;
            none = false;
            options(variable, value, notes);
        }
        if (none) notes.ok("no options for every JVM in the environment (" + String.join(", ", VARIABLES) + ")");
        String home = examined.env().get("JAVA_HOME");
        if (home != null
                && !home.isBlank()
                && !examined.file(home + "/bin/java").toFile().canExecute()) {
            notes.warn("JAVA_HOME=" + home + " has no bin/java", "correct it or unset JAVA_HOME");
        }
    }

    private static void options(String variable, String value, CheckResults notes) {
        String words = variable + "=" + value;
        Matcher debugger = DEBUGGER.matcher(value);
        if (debugger.find()) {
            Matcher port = PORT.matcher(debugger.group());
            if (port.find() && !port.group(1).equals("0")) {
                notes.fails(
                        words + ": every JVM opens port " + port.group(1) + ", the launcher's and each rank's; all but"
                                + " the first exit immediately",
                        "unset " + variable + "; to debug one rank, give the option only to its program: tutti run -n 1"
                                + " --jvm -agentlib:jdwp=… A.java : -n 3 A.java");
                return;
            }
        }
        boolean last = variable.equals("_JAVA_OPTIONS");
        notes.warn(
                words + ": used by the launcher and each rank"
                        + (last ? ", with priority over --jvm" : "")
                        + (value.contains("-Xmx") ? "; each rank gets that heap, for any number of ranks" : ""),
                "unset " + variable + "; for options of ranks only: tutti run --jvm OPTION");
    }
}
