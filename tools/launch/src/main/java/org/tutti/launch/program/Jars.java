package org.tutti.launch.program;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The jars of Tutti that a rank needs: the class path and the module path of this JVM, without the command line
/// modules. Entries are absolute and unique, and sorted by path.
///
///     class path of a rank:   tutti ──▶ the user's ──▶ libraries
///
/// Tutti's jars are first, because an AOT cache requires that the class path begins with the entries for which
/// the cache was created. The user's entries precede the libraries, so that the user's version of a library has
/// priority.
///
/// @param tutti Tutti's jars, and directories of classes
/// @param libraries third-party jars on which Tutti's jars depend
public record Jars(List<String> tutti, List<String> libraries) {
    private static final String OWN = "tutti-";

    /// The jar of the command. The same directory contains all other modules of Tutti, as a single jar or as
    /// one jar for each module.
    private static final String COMMAND = OWN + "cli";

    private static final List<String> NEXT_TO_COMMAND = List.of(OWN + "all", OWN + "launch");

    /// The directory of the command's modules in a checkout.
    private static final String TOOLS = "tools" + File.separator;

    private static final String COMMAND_FOLDER = TOOLS + "cli";

    private static final List<String> NEXT_TO_COMMAND_FOLDER = List.of(TOOLS + "launch");

    public static Jars ofRanks() {
        return of(System.getProperty("java.class.path"), System.getProperty("jdk.module.path"));
    }

    /// Returns the jars of a JVM with these paths.
    static Jars of(@Nullable String classPath, @Nullable String modulePath) {
        List<String> entries = new ArrayList<>();
        add(classPath, entries);
        add(modulePath, entries);
        Collections.sort(entries);
        String command = null;
        for (String entry : entries) if (isCommand(entry, entries)) command = entry;
        List<String> tutti = new ArrayList<>(), libraries = new ArrayList<>();
        for (String entry : entries) {
            if (entry.equals(command) || command != null && isOfCommand(entry, command)) continue;
            (entry.endsWith(".jar") && !name(entry).startsWith(OWN) ? libraries : tutti).add(entry);
        }
        return new Jars(tutti, libraries);
    }

    private static void add(@Nullable String path, List<String> entries) {
        if (path == null) return;
        for (String entry : path.split(File.pathSeparator)) {
            if (entry.isEmpty()) continue;
            String absolute = Path.of(entry).toAbsolutePath().toString();
            if (!entries.contains(absolute)) entries.add(absolute);
        }
    }

    /// Returns whether the entry is the command's jar. The name is not sufficient, because a user's jar may be
    /// called `tutti-client.jar`: another module of Tutti, with a corresponding name, must be in the same
    /// directory.
    private static boolean isCommand(String entry, List<String> entries) {
        boolean isJar = entry.endsWith(".jar");
        String command = isJar ? COMMAND : COMMAND_FOLDER;
        int at = isJar
                ? entry.lastIndexOf(File.separatorChar) + 1
                : entry.lastIndexOf(File.separator + command + File.separator) + 1;
        if (!entry.startsWith(command, at)) return false;
        String before = entry.substring(0, at), behind = entry.substring(at + command.length());
        for (String other : isJar ? NEXT_TO_COMMAND : NEXT_TO_COMMAND_FOLDER) {
            if (entries.contains(before + other + behind)) return true;
        }
        return false;
    }

    /// Returns whether the entry is the command's library that parses command lines.
    private static boolean isOfCommand(String entry, String command) {
        return name(entry).startsWith("picocli") && directory(entry).equals(directory(command));
    }

    private static String name(String entry) {
        return entry.substring(entry.lastIndexOf(File.separatorChar) + 1);
    }

    private static String directory(String entry) {
        return entry.substring(0, entry.lastIndexOf(File.separatorChar) + 1);
    }

    /// Returns the leading entries of a rank's class path that are Tutti's jars.
    public static List<String> atTheHeadOf(String classPath) {
        List<String> head = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (!entry.endsWith(".jar") || !name(entry).startsWith(OWN)) break;
            head.add(entry);
        }
        return head;
    }

    /// Returns all jars, for a JVM that does not run a user's program.
    List<String> all() {
        List<String> all = new ArrayList<>(tutti);
        all.addAll(libraries);
        return all;
    }

    /// Returns the class path of a rank, with the user's entries in the middle.
    public String around(List<String> users) {
        List<String> entries = new ArrayList<>(tutti);
        entries.addAll(users);
        entries.addAll(libraries);
        return String.join(File.pathSeparator, entries);
    }
}
