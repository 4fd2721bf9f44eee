package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A program of the directory `examples`.
///
/// @param file the source file
/// @param subject the row of the table in `examples/README.md`
record ExampleProgram(Path file, String subject, String source) {
    private static final String DIRECTORY = "examples", SUFFIX = ".java", RUN = "./tutti run ", DATA = "data";
    private static final String OTHER = "other programs";
    private static final Pattern ROW = Pattern.compile("\\| (.+?) \\| (.+) \\|");
    private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w+");

    static Path directory() {
        return Installation.home().resolve(DIRECTORY);
    }

    static boolean isInstalled() {
        return Installation.isKnown() && Files.isDirectory(directory());
    }

    /// Returns all examples, by subject.
    static List<ExampleProgram> all() throws IOException {
        List<ExampleProgram> all = new ArrayList<>();
        List<Path> rest;
        try (Stream<Path> files = Files.list(directory())) {
            rest = new ArrayList<>(
                    files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList());
        }
        for (String line : Files.readAllLines(directory().resolve("README.md"))) {
            Matcher row = ROW.matcher(line);
            if (!row.matches()) continue;
            Matcher names = NAME.matcher(row.group(2));
            while (names.find()) {
                Path file = directory().resolve(names.group() + SUFFIX);
                if (rest.remove(file)) all.add(new ExampleProgram(file, row.group(1), Files.readString(file)));
            }
        }
        for (Path file : rest) all.add(new ExampleProgram(file, OTHER, Files.readString(file)));
        return all;
    }

    /// Returns `Hello` for `Hello.java` and `examples/Hello.java`.
    static String bare(String word) {
        String name = word.substring(word.lastIndexOf('/') + 1);
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }

    String name() {
        return bare(file.getFileName().toString());
    }

    /// Whether the name, the subject or the first sentence contains the text.
    boolean hasWord(String word) {
        String text = name() + "\n" + subject + "\n" + summary();
        return text.toLowerCase(Locale.ROOT).contains(word.toLowerCase(Locale.ROOT));
    }

    /// Returns the command in the first comment as the user types it in the current directory.
    String command() {
        Path home = Installation.home();
        boolean isHere = home.equals(Path.of("").toAbsolutePath());
        return command(Installation.command(), isHere ? DIRECTORY + "/" : home.resolve(DIRECTORY) + "/");
    }

    /// @param tutti the command
    /// @param prefix precedes the names of files; empty, or ends with `/`
    String command(String tutti, String prefix) {
        int at = source.indexOf(RUN);
        String line = at < 0
                ? "-n 4 " + DIRECTORY + "/" + file.getFileName()
                : source.substring(at + RUN.length(), source.indexOf('\n', at)).strip();
        return tutti + " run " + line.replace(DIRECTORY + "/", prefix);
    }

    /// Returns the other files of `examples` that the program uses, and the licenses of data.
    List<Path> data() throws IOException {
        List<Path> used = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory())) {
            for (Path f : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = f.getFileName().toString();
                if (!name.endsWith(SUFFIX) && !name.endsWith(".md") && source.contains(name)) used.add(f);
            }
        }
        Path licenses = directory().resolve(DATA, "README.md");
        if (used.stream().anyMatch(f -> f.startsWith(directory().resolve(DATA)))) used.add(licenses);
        return used;
    }

    String summary() {
        return summary(source);
    }

    /// Returns the first sentence of a source file's first comment; empty if the file does not begin with a
    /// comment.
    static String summary(String source) {
        StringBuilder text = new StringBuilder();
        for (String line : source.lines().toList()) {
            String bare = line.strip();
            if (!bare.startsWith("/") && !bare.startsWith("*")) break;
            String words = bare.replaceFirst("^(/\\*+|\\*/|\\*|/+)", "")
                    .replaceFirst("\\*+/$", "")
                    .strip();
            if (words.isEmpty() && text.length() > 0) break;
            if (!words.isEmpty()) text.append(text.length() == 0 ? "" : " ").append(words);
        }
        int end = text.indexOf(". ");
        return end < 0 ? text.toString() : text.substring(0, end + 1);
    }
}
