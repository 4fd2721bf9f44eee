package org.tutti.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tutti.launch.library.NativeLibrary;

/// The conditions of a measurement: machine, software, load.
final class Facts {
    private static final Path CPUS = Path.of("/proc/cpuinfo"), LOAD = Path.of("/proc/loadavg");

    private Facts() {}

    static List<String> of(String version, List<NativeLibrary> libraries, List<Contender> contenders) {
        List<String> lines = new ArrayList<>();
        lines.add("machine: " + cpu() + ", " + Runtime.getRuntime().availableProcessors() + " cores, "
                + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch"));
        lines.add("Tutti " + version + ", " + System.getProperty("java.vendor") + " Java "
                + System.getProperty("java.runtime.version"));
        for (NativeLibrary library : libraries) {
            lines.add(library.title() + " " + library.version() + " (" + library.launcher() + ")");
        }
        for (Contender contender : contenders) {
            if (contender instanceof PythonContender python) {
                lines.add("mpi4py " + python.version() + " on "
                        + python.library().title() + " (" + python.python() + ")");
            }
        }
        return lines;
    }

    /// Returns the load, which is the number of runnable processes, averaged over one minute.
    static String load() {
        try {
            return Files.readString(LOAD).split(" ")[0];
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String cpu() {
        try {
            for (String line : Files.readAllLines(CPUS)) {
                if (line.startsWith("model name"))
                    return line.substring(line.indexOf(':') + 1).strip();
            }
        } catch (IOException e) {
            // not Linux
        }
        return "unknown processor";
    }
}
