package org.tutti.launch.program;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// The entries of a class path in the format of `-cp`, and the files of the entries.
public final class ClassPath {
    private ClassPath() {}

    /// The maximum number of files that are checked for changes; 10,000 files take about 50 ms.
    private static final int MOST_FILES = 10_000;

    /// Splits a class path as Java does: an entry is a directory, a jar, or all jars of a directory.
    static List<File> entries(String classPath) {
        List<File> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (entry.equals("*") || entry.endsWith(File.separator + "*")) {
                File directory = new File(entry).getAbsoluteFile().getParentFile();
                File[] jars = directory.listFiles((dir, name) -> name.endsWith(".jar"));
                if (jars == null) continue;
                Arrays.sort(jars);
                entries.addAll(List.of(jars));
            } else {
                entries.add(new File(entry));
            }
        }
        return entries;
    }

    /// Returns the entries as URLs, for a class loader.
    public static URL[] urls(String classPath) {
        List<URL> urls = new ArrayList<>();
        try {
            for (File entry : entries(classPath)) urls.add(entry.toURI().toURL());
        } catch (MalformedURLException e) {
            throw new UsageException("-cp " + classPath + ": " + e.getMessage());
        }
        return urls.toArray(new URL[0]);
    }

    /// Returns the entries of `-cp` that do not exist. Java does not report missing entries, so the user would
    /// see only that a class is missing, much later.
    public static List<String> missing(@Nullable String path) {
        List<String> missing = new ArrayList<>();
        if (path == null) return missing;
        for (String entry : path.split(File.pathSeparator)) {
            boolean all = entry.equals("*") || entry.endsWith(File.separator + "*");
            File file = all ? new File(entry).getAbsoluteFile().getParentFile() : new File(entry);
            if (!entry.isEmpty() && !file.exists()) missing.add(entry);
        }
        return missing;
    }

    /// Returns `a.jar and b are`, `a.jar is`.
    public static String notThere(List<String> missing) {
        return String.join(" and ", missing) + (missing.size() == 1 ? " is" : " are");
    }

    /// Returns the class path with absolute entries, because ranks may have a different working directory.
    public static String absolute(String classPath) {
        StringBuilder path = new StringBuilder();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (path.length() > 0) path.append(File.pathSeparatorChar);
            // not Path, which rejects `*` on some systems
            path.append(new File(entry).getAbsolutePath());
        }
        return path.toString();
    }

    /// Returns the absolute class path of a program in a jar. The jar is first unless `classPath` contains it.
    public static String ofJar(String jar, @Nullable String classPath) {
        String first = new File(jar).getAbsolutePath();
        if (classPath == null) return first;
        String given = absolute(classPath);
        return List.of(given.split(File.pathSeparator)).contains(first) ? given : first + File.pathSeparator + given;
    }

    /// Appends an identification of the content of all entries. The identification changes if a jar or a class
    /// in a directory changes. Returns false if the number of files exceeds the limit.
    public static boolean identify(String classPath, StringBuilder into) {
        return identify(classPath, MOST_FILES, into);
    }

    static boolean identify(String classPath, int mostFiles, StringBuilder into) {
        int left = mostFiles;
        into.append(classPath).append('\n');
        for (File file : entries(classPath)) {
            if (file.isFile()) identify(file, into);
            else left = identifyClasses(file, left, into);
        }
        return left >= 0;
    }

    private static void identify(File file, StringBuilder into) {
        into.append(file).append(' ').append(file.length()).append(' ');
        into.append(file.lastModified()).append('\n');
    }

    /// Returns the number of files that may still be checked; negative if the limit is exceeded.
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
