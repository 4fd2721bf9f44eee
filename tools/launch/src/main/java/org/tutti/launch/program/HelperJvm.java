package org.tutti.launch.program;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.tutti.launch.machine.JavaCommand;

/// The command line of a small JVM that executes one task for the `tutti` command and exits. Used for tasks
/// that could crash the process.
public final class HelperJvm {
    private HelperJvm() {}

    /// @param entry the name of a class with a `main` method, from a module that ranks use
    public static List<String> command(String entry, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(JavaCommand.path());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-XX:-UsePerfData"));
        command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(
                List.of("-cp", String.join(File.pathSeparator, Jars.ofRanks().all()), entry));
        command.addAll(args);
        return command;
    }
}
