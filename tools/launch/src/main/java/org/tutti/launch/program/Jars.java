package org.tutti.launch.program;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a rank needs of Tutti: whatever this JVM runs from, without the command line. Absolute, each once,
/// in an order that does not depend on the directory's.
///
///     class path of a rank:   own ──▶ the user's ──▶ libraries
///
/// Tutti's own stand first, because an AOT cache fits only a class path that begins with what the cache was
/// made from. The user's version of a library wins.
///
/// @param own Tutti's own jars, and directories of classes
/// @param libraries jars of others that these need
public record Jars(List<String> own, List<String> libraries) {
    private static final String COMMAND = "tutti-cli", OWN = "tutti-";

    /// What the command's jar lies beside: all other modules in one jar, or each in its own, or their classes.
    private static final List<String> BESIDE_COMMAND = List.of("tutti-all", "tutti-launch");

    public static Jars ofRanks() {
        return of(System.getProperty("java.class.path"), System.getProperty("jdk.module.path"));
    }

    /// Of a JVM with these paths.
    static Jars of(@Nullable String classPath, @Nullable String modulePath) {
        List<String> entries = new ArrayList<>();
        add(classPath, entries);
        add(modulePath, entries);
        Collections.sort(entries);
        String command = null;
        for (String entry : entries) if (isCommand(entry, entries)) command = entry;
        List<String> own = new ArrayList<>(), libraries = new ArrayList<>();
        for (String entry : entries) {
            if (entry.equals(command) || command != null && isOfCommand(entry, command)) continue;
            (entry.endsWith(".jar") && !name(entry).startsWith(OWN) ? libraries : own).add(entry);
        }
        return new Jars(own, libraries);
    }

    private static void add(@Nullable String path, List<String> entries) {
        if (path == null) return;
        for (String entry : path.split(File.pathSeparator)) {
            if (entry.isEmpty()) continue;
            String absolute = Path.of(entry).toAbsolutePath().toString();
            if (!entries.contains(absolute)) entries.add(absolute);
        }
    }

    /// Told by what lies beside it under a name of the same form: a user's jar may be called `tutti-client.jar`.
    private static boolean isCommand(String entry, List<String> entries) {
        int at = entry.endsWith(".jar")
                ? entry.lastIndexOf(File.separatorChar) + 1
                : entry.lastIndexOf(File.separator + COMMAND + File.separator) + 1;
        if (!entry.startsWith(COMMAND, at)) return false;
        String behind = entry.substring(at + COMMAND.length());
        for (String other : BESIDE_COMMAND) if (entries.contains(entry.substring(0, at) + other + behind)) return true;
        return false;
    }

    /// The library that reads command lines.
    private static boolean isOfCommand(String entry, String command) {
        return name(entry).startsWith("picocli") && directory(entry).equals(directory(command));
    }

    private static String name(String entry) {
        return entry.substring(entry.lastIndexOf(File.separatorChar) + 1);
    }

    private static String directory(String entry) {
        return entry.substring(0, entry.lastIndexOf(File.separatorChar) + 1);
    }

    /// Those of Tutti's own that stand first on a rank's class path.
    public static List<String> atTheHeadOf(String classPath) {
        List<String> head = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (!entry.endsWith(".jar") || !name(entry).startsWith(OWN)) break;
            head.add(entry);
        }
        return head;
    }

    /// For a JVM that runs no program of a user's.
    List<String> all() {
        List<String> all = new ArrayList<>(own);
        all.addAll(libraries);
        return all;
    }

    /// The class path of a rank, with the user's entries where they belong.
    public String around(List<String> users) {
        List<String> entries = new ArrayList<>(own);
        entries.addAll(users);
        entries.addAll(libraries);
        return String.join(File.pathSeparator, entries);
    }
}
