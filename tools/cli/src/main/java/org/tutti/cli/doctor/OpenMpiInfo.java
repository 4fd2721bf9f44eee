package org.tutti.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tutti.launch.machine.CommandOutput;
import org.tutti.launch.machine.SearchPath;

/// Runs Open MPI's `ompi_info`: the program in the directory of mpirun, otherwise the first on the `PATH`.
public final class OpenMpiInfo {
    private static final String NAME = "ompi_info";
    private static final List<String> WAYS = List.of("pml", "mtl", "btl");

    private OpenMpiInfo() {}

    /// Returns the output with `--parsable` and these options; empty if the program is missing or does not
    /// answer.
    public static List<String> lines(Path launcher, String... options) {
        Path beside = launcher.resolveSibling(NAME);
        List<Path> onPath = SearchPath.all(NAME);
        if (!Files.isExecutable(beside) && onPath.isEmpty()) return List.of();
        List<String> command = new ArrayList<>();
        command.add((Files.isExecutable(beside) ? beside : onPath.getFirst()).toString());
        command.add("--parsable");
        command.addAll(List.of(options));
        // removes settings that would change the output
        CommandOutput asked = CommandOutput.of(command, environment -> {
            environment.keySet().removeIf(name -> name.startsWith("OMPI_MCA_"));
            environment.put("OMPI_MCA_mca_base_param_files", "/dev/null");
        });
        return asked == null || asked.code() != 0
                ? List.of()
                : asked.out().lines().toList();
    }

    /// Returns `pml ob1 ucx, btl self tcp vader`; empty if unknown.
    static String transports(Path launcher) {
        Map<String, TreeSet<String>> components = new TreeMap<>();
        for (String line : lines(launcher)) {
            String[] part = line.split(":", 5);
            if (part.length > 4 && part[0].equals("mca") && part[3].equals("version") && WAYS.contains(part[1])) {
                components
                        .computeIfAbsent(part[1], framework -> new TreeSet<>())
                        .add(part[2]);
            }
        }
        List<String> words = new ArrayList<>();
        for (String way : WAYS) {
            TreeSet<String> names = components.get(way);
            if (names != null) words.add(way + " " + String.join(" ", names));
        }
        return String.join(", ", words);
    }
}
