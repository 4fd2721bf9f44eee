package org.tutti.launch.library;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.SearchPath;

/// An MPI library of this machine, with the launcher and the compiler.
///
/// @param word the value of `--mpi`
/// @param title the name for messages
/// @param launcher mpirun or mpiexec
/// @param compiler mpicc; null if not installed
/// @param version the version that the launcher prints, with the rest of the line
public record NativeLibrary(
        String word, String title, Path launcher, @Nullable Path compiler, String version) {
    /// Returns all libraries found by `PATH`; the first is the default of `--engine libmpi`.
    public static List<NativeLibrary> all() {
        List<NativeLibrary> found = new ArrayList<>();
        for (NativeLaunchers.Family family : NativeLaunchers.Family.values()) {
            Path command = NativeLaunchers.ownCommand(family);
            if (command == null) continue;
            Path compiler = SearchPath.first("mpicc." + family.word());
            Path sibling = command.resolveSibling("mpicc");
            if (compiler == null && Files.isExecutable(sibling)) compiler = sibling;
            String version = NativeLaunchers.version(command);
            found.add(new NativeLibrary(family.word(), family.title(), command, compiler, versionLine(version)));
        }
        return found;
    }

    /// Returns the [#word] of the library of this mpirun or mpiexec; null if unknown.
    public static @Nullable String wordOf(Path launcher) {
        NativeLaunchers.Family family = NativeLaunchers.familyOf(launcher);
        return family == null ? null : family.word();
    }

    /// Returns the part of the text that contains the version: MPICH prints a table, Open MPI prints it in the
    /// first line.
    private static String versionLine(String text) {
        for (String line : text.lines().toList()) {
            if (line.strip().startsWith("Version:"))
                return line.strip().substring("Version:".length()).strip();
            // a line with a prefix such as [host:123] … is a message, not the version
            int close = line.startsWith("[") ? -1 : line.indexOf(") ");
            if (close >= 0) return line.substring(close + 2).strip();
        }
        return text.lines().findFirst().orElse("");
    }

    /// Returns the beginning of a command that starts `ranks` ranks of a program on this machine, even if there
    /// are fewer cores. The caller appends the program, which need not use Java or Tutti.
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
