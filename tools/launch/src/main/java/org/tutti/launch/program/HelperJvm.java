package org.tutti.launch.program;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.tutti.launch.machine.JavaCommand;

/// The command line of a small JVM that does one thing for the `tutti` command and ends: what might break
/// the process that does it.
public final class HelperJvm {
    private HelperJvm() {}

    /// @param entry the name of a class with a `main`, of a module that ranks have
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
