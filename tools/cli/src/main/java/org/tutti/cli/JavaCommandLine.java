package org.tutti.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A command line of `java` in the position of a program, as mpirun accepts it: `java -Xmx1g -cp . Ring 10`.
///
/// @param jvm options of the JVM
/// @param classPath null if not specified
/// @param program the class or the jar, and the arguments
record JavaCommandLine(List<String> jvm, @Nullable String classPath, List<String> program) {
    private static final Set<String> CLASS_PATH = Set.of("-cp", "-classpath", "--class-path");

    /// Options that are followed by a separate value.
    private static final Set<String> WITH_VALUE =
            Set.of("-p", "--module-path", "--add-modules", "--add-opens", "--add-exports", "--add-reads");

    /// Parses the command line if it begins with `java` or a path to `java`; a directory such as `src/main/java`
    /// does not count. Otherwise the whole command line is the program and the arguments.
    static JavaCommandLine of(List<String> words) {
        if (words.isEmpty() || !isJava(words.getFirst())) return new JavaCommandLine(List.of(), null, words);
        List<String> jvm = new ArrayList<>();
        String classPath = null;
        int at = 1;
        while (at < words.size() && words.get(at).startsWith("-")) {
            String word = words.get(at++);
            if (word.equals("-jar")) break;
            boolean hasValue = at < words.size();
            if (CLASS_PATH.contains(word) && hasValue) {
                classPath = words.get(at++);
            } else {
                jvm.add(word);
                if (WITH_VALUE.contains(word) && hasValue) jvm.add(words.get(at++));
            }
        }
        return new JavaCommandLine(jvm, classPath, words.subList(at, words.size()));
    }

    private static boolean isJava(String word) {
        return word.equals("java") || word.endsWith("/java") && !Files.isDirectory(Path.of(word));
    }
}
