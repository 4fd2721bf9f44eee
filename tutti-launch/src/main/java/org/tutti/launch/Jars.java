package org.tutti.launch;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// What a rank needs of Tutti: whatever this JVM runs from, without the command line.
final class Jars {
    private Jars() {}

    /// Absolute, each once, in an order that does not depend on the directory's.
    static List<String> ofRanks() {
        List<String> entries = new ArrayList<>();
        add(System.getProperty("java.class.path"), entries);
        add(System.getProperty("jdk.module.path"), entries);
        Collections.sort(entries);
        return entries;
    }

    private static void add(String path, List<String> entries) {
        if (path == null) return;
        for (String entry : path.split(File.pathSeparator)) {
            if (entry.isEmpty()) continue;
            String absolute = Path.of(entry).toAbsolutePath().toString();
            if (!isCommandLine(absolute) && !entries.contains(absolute)) entries.add(absolute);
        }
    }

    /// Jars by their names, directories of classes by the module that they lie in.
    private static boolean isCommandLine(String entry) {
        if (!entry.endsWith(".jar")) return entry.contains("tutti-cli");
        String name = entry.substring(entry.lastIndexOf(File.separatorChar) + 1);
        return name.startsWith("tutti-cli") || name.startsWith("picocli");
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

    /// Says of every entry what it was made from: a changed jar is another jar.
    static void identify(String classPath, StringBuilder into) {
        for (String entry : classPath.split(File.pathSeparator)) {
            File file = new File(entry);
            into.append(entry).append(' ');
            if (file.isFile()) into.append(file.length()).append(' ').append(file.lastModified());
            into.append('\n');
        }
    }
}
