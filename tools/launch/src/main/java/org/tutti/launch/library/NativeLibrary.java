package org.tutti.launch.library;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.SearchPath;

/// An MPI library of this machine: what starts its programs and what compiles them.
///
/// @param word what `--mpi` calls it
/// @param title what a person calls it
/// @param launcher its mpirun or mpiexec
/// @param compiler its mpicc; null where it is not installed
/// @param version the line of the launcher that tells it
public record NativeLibrary(
        String word, String title, Path launcher, @Nullable Path compiler, String version) {
    /// All that are found by `PATH`, the one that `--engine libmpi` takes first.
    public static List<NativeLibrary> all() {
        List<NativeLibrary> found = new ArrayList<>();
        for (NativeLaunchers.Family family : NativeLaunchers.Family.values()) {
            Path command = NativeLaunchers.ownCommand(family);
            if (command == null) continue;
            Path compiler = SearchPath.first("mpicc." + family.word());
            Path beside = command.resolveSibling("mpicc");
            if (compiler == null && Files.isExecutable(beside)) compiler = beside;
            String version = NativeLaunchers.version(command);
            found.add(new NativeLibrary(family.word(), family.title(), command, compiler, versionLine(version)));
        }
        return found;
    }

    /// The library whose programs this mpirun or mpiexec starts: its [#word]; null where it does not say so.
    public static @Nullable String wordOf(Path launcher) {
        NativeLaunchers.Family family = NativeLaunchers.familyOf(launcher);
        return family == null ? null : family.word();
    }

    /// MPICH's comes in a table, Open MPI's first.
    private static String versionLine(String text) {
        for (String line : text.lines().toList()) {
            if (line.strip().startsWith("Version:"))
                return line.strip().substring("Version:".length()).strip();
            // not in what it may say before, as [host:123] …
            int close = line.startsWith("[") ? -1 : line.indexOf(") ");
            if (close >= 0) return line.substring(close + 2).strip();
        }
        return text.lines().findFirst().orElse("");
    }

    /// What starts a program, neither Java's nor Tutti's, on this machine: as many ranks as are asked
    /// for, more than cores, too.
    ///
    /// @param bindTo `none` or `core`
    public List<String> start(int ranks, String bindTo) {
        List<String> line = new ArrayList<>();
        line.add(launcher.toString());
        if (word.equals(NativeLaunchers.Family.OPEN_MPI.word())) {
            if ("root".equals(System.getProperty("user.name"))) line.add("--allow-run-as-root");
            line.addAll(List.of("--oversubscribe", "--bind-to", bindTo));
        } else if (!bindTo.equals("none")) {
            line.addAll(List.of("-bind-to", bindTo));
        }
        line.addAll(List.of("-n", Integer.toString(ranks)));
        return line;
    }
}
