package org.tutti.launch;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
record Jars(List<String> own, List<String> libraries) {
    private static final String COMMAND = "tutti-cli", LAUNCHER = "tutti-launch", OWN = "tutti-";

    /// Of which classes are looked at to see whether one has changed; 10,000 take some 50 ms.
    private static final int MOST_FILES = 10_000;

    static Jars ofRanks() {
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

    /// Told by the launcher, which lies beside it under a name of the same form: a user's jar may be called
    /// `tutti-client.jar`.
    private static boolean isCommand(String entry, List<String> entries) {
        int at = entry.endsWith(".jar")
                ? entry.lastIndexOf(File.separatorChar) + 1
                : entry.lastIndexOf(File.separator + COMMAND + File.separator) + 1;
        if (!entry.startsWith(COMMAND, at)) return false;
        return entries.contains(entry.substring(0, at) + LAUNCHER + entry.substring(at + COMMAND.length()));
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

    /// For a JVM that runs no program of a user's.
    List<String> all() {
        List<String> all = new ArrayList<>(own);
        all.addAll(libraries);
        return all;
    }

    /// The class path of a rank, with the user's entries where they belong.
    String around(List<String> users) {
        List<String> entries = new ArrayList<>(own);
        entries.addAll(users);
        entries.addAll(libraries);
        return String.join(File.pathSeparator, entries);
    }

    /// The user's `-cp` with absolute entries: ranks may have another working directory.
    static String absolute(String classPath) {
        StringBuilder path = new StringBuilder();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (path.length() > 0) path.append(File.pathSeparatorChar);
            // not by Path, which would refuse a `*` on some systems
            path.append(new File(entry).getAbsolutePath());
        }
        return path.toString();
    }

    /// Says of every entry what it was made from: a changed jar is another jar, a directory with a changed
    /// class another directory. Returns false when there are too many files to look at.
    static boolean identify(String classPath, StringBuilder into) {
        return identify(classPath, MOST_FILES, into);
    }

    static boolean identify(String classPath, int mostFiles, StringBuilder into) {
        int left = mostFiles;
        into.append(classPath).append('\n');
        for (File file : Programs.entries(classPath)) {
            if (file.isFile()) identify(file, into);
            else left = identifyClasses(file, left, into);
        }
        return left >= 0;
    }

    private static void identify(File file, StringBuilder into) {
        into.append(file).append(' ').append(file.length()).append(' ');
        into.append(file.lastModified()).append('\n');
    }

    /// Returns how many files may still be looked at; less than 0 when there were too many.
    private static int identifyClasses(File directory, int most, StringBuilder into) {
        File[] files = directory.listFiles();
        if (files == null) return most;
        int left = most - files.length;
        Arrays.sort(files);
        for (File file : files) {
            if (left < 0) return left;
            if (file.getName().endsWith(".class")) identify(file, into);
            else if (file.isDirectory()) left = identifyClasses(file, left, into);
        }
        return left;
    }
}
