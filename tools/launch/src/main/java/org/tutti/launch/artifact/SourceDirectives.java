package org.tutti.launch.artifact;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.tutti.launch.UsageException;

/// The directives of a source file and of the files that it includes, with the syntax of jbang: lines such as
/// `//DEPS com.google.code.gson:gson:2.11.0` that begin in the first column. Arguments are separated by spaces,
/// commas or semicolons; a comment follows ` // `; `${name:default}` is a property.
///
/// `//DEPS`, `//REPOS` and `//SOURCES` have the same meaning as in jbang, except that sources are only read from
/// this machine. `//JAVA` does not select a JDK: an error is reported if the required version is newer than this
/// JVM. Other directives of jbang that would change the program are not applied; [#ignored] returns the names.
public final class SourceDirectives {
    private static final Pattern DIRECTIVE = Pattern.compile("//([A-Z_]+)(?:\\s+(.*?))?(?:\\s//\\s.*)?\\s*");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|[^\\s;,\"']+");
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^:}]+)(?::([^}]*))?}");
    private static final Pattern JAVA = Pattern.compile("(\\d{1,3})(\\+?)");

    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "CDS",
            "COMPILE_OPTIONS",
            "FILES",
            "JAVAAGENT",
            "JAVAC_OPTIONS",
            "JAVA_OPTIONS",
            "MAIN",
            "MANIFEST",
            "MODULE",
            "PREVIEW",
            "PROPS",
            "RUNTIME_OPTIONS");

    /// Modules of Tutti that are not on the command's class path. If a program declares any other module of
    /// Tutti, it uses the command's version.
    private static final Set<String> SEPARATE_MODULES =
            Set.of("tutti-train-torch", "tutti-train-djl", "tutti-compat-openmpi", "tutti-compat-mpj", "tutti-junit");

    private static final String TUTTI = "org.tutti";

    private final Set<MavenCoordinates> dependencies = new LinkedHashSet<>();
    private final Set<MavenRepository> repositories = new LinkedHashSet<>();
    private final Set<Path> sources = new LinkedHashSet<>();
    private final Set<String> ignored = new TreeSet<>();

    private SourceDirectives() {}

    /// Reads the directives of a file and of the files in `//SOURCES`.
    ///
    /// @param source absolute
    /// @throws UsageException if a directive has a mistake, or requires a newer version of Java
    public static SourceDirectives of(Path source, byte[] content) throws IOException {
        SourceDirectives all = new SourceDirectives();
        all.read(source, source, new String(content, StandardCharsets.UTF_8));
        return all;
    }

    /// Whether the text of a source file declares libraries.
    public static boolean declareLibraries(String text) {
        return lines(text).stream().anyMatch(line -> line.matches("//DEPS\\s.*"));
    }

    /// Returns the lines that may be directives. This method runs at every start, although most files have no
    /// directives, so it must be fast.
    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        for (int at = text.indexOf("//"); at >= 0; at = text.indexOf("//", at + 2)) {
            boolean isFirstColumn = at == 0 || text.charAt(at - 1) == '\n';
            if (!isFirstColumn || at + 2 == text.length() || !Character.isUpperCase(text.charAt(at + 2))) continue;
            int end = text.indexOf('\n', at);
            lines.add(end < 0 ? text.substring(at) : text.substring(at, end));
        }
        return lines;
    }

    private void read(Path main, Path source, String text) throws IOException {
        for (String line : lines(text)) {
            Matcher found = DIRECTIVE.matcher(line);
            if (!found.matches()) continue;
            String name = found.group(1), value = found.group(2) == null ? "" : replaced(found.group(2), source);
            switch (name) {
                case "DEPS" -> words(value).forEach(word -> addDependency(word, source));
                case "REPOS" -> words(value).forEach(word -> repositories.add(MavenRepository.of(word)));
                case "JAVA" -> checkJava(value, source);
                case "SOURCES" -> {
                    for (String word : words(value)) include(word, main, source);
                }
                default -> {
                    if (WITHOUT_EFFECT.contains(name)) ignored.add("//" + name);
                }
            }
        }
    }

    /// Replaces `${name:default}` by the system property `name` of the launcher, or by the default.
    private static String replaced(String value, Path source) {
        return PROPERTY.matcher(value).replaceAll(property -> {
            String text = System.getProperty(property.group(1), property.group(2));
            if (text == null) {
                throw new UsageException(source.getFileName() + ": " + property.group() + " has no value; write ${"
                        + property.group(1) + ":DEFAULT}");
            }
            return Matcher.quoteReplacement(text);
        });
    }

    private static List<String> words(String value) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(value);
        while (word.find()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group());
        }
        return words;
    }

    private void addDependency(String word, Path source) {
        MavenCoordinates coordinates;
        try {
            coordinates = MavenCoordinates.of(word);
        } catch (UsageException e) {
            throw new UsageException(source.getFileName() + ": //DEPS " + e.getMessage());
        }
        if (coordinates.group().equals(TUTTI) && !SEPARATE_MODULES.contains(coordinates.name())) return;
        dependencies.add(coordinates);
    }

    private void checkJava(String value, Path source) {
        Matcher version = JAVA.matcher(value);
        if (!version.matches()) {
            throw new UsageException(
                    source.getFileName() + ": //JAVA " + value + " is not a version; write 25, or 25+ for 25 or newer");
        }
        int needed = Integer.parseInt(version.group(1)),
                here = Runtime.version().feature();
        if (needed > here) {
            throw new UsageException(source.getFileName() + " needs Java " + needed + " (//JAVA " + value
                    + "), and tutti runs on Java " + here + " (" + System.getProperty("java.home")
                    + "); set JAVA_HOME to a JDK " + needed);
        }
        if (needed < here && version.group(2).isEmpty()) ignored.add("//JAVA " + value);
    }

    private void include(String word, Path main, Path source) throws IOException {
        if (word.contains("://")) {
            throw new UsageException(source.getFileName() + ": //SOURCES " + word
                    + ": source files are read from this machine only; download the file and name it");
        }
        List<Path> files;
        try {
            files = matching(word, source);
        } catch (InvalidPathException | PatternSyntaxException e) {
            throw new UsageException(source.getFileName() + ": //SOURCES " + word
                    + " is not a file and not a valid pattern: " + reason(e));
        } catch (UncheckedIOException e) {
            throw e.getCause(); // a directory of the pattern cannot be read
        }
        for (Path file : files) {
            if (file.equals(main) || !sources.add(file)) continue;
            // bytes that are not UTF-8 are not an error here, because the compiler reports them
            read(main, file, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        }
    }

    private static String reason(IllegalArgumentException e) {
        return e instanceof PatternSyntaxException of ? of.getDescription() : String.valueOf(e.getMessage());
    }

    /// Returns the files that match the name or the pattern `word`, which is relative to the directory of the
    /// source file.
    private static List<Path> matching(String word, Path source) throws IOException {
        Path folder = source.resolveSibling("");
        if (!word.matches(".*[*?{\\[].*")) {
            Path file = folder.resolve(word).normalize();
            if (Files.isRegularFile(file)) return List.of(file);
            throw new UsageException(source.getFileName() + ": //SOURCES " + word + ": no file " + file);
        }
        int fixed = word.lastIndexOf('/', word.split("[*?{\\[]", 2)[0].length()) + 1;
        Path base = folder.resolve(word.substring(0, fixed)).normalize();
        PathMatcher pattern = FileSystems.getDefault().getPathMatcher("glob:" + word.substring(fixed));
        if (!Files.isDirectory(base)) return List.of();
        try (Stream<Path> files = Files.walk(base)) {
            return files.filter(file -> pattern.matches(base.relativize(file)) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        }
    }

    /// Returns the libraries, without the modules of Tutti that the command contains.
    public List<MavenCoordinates> dependencies() {
        return List.copyOf(dependencies);
    }

    /// Returns the repositories; empty for the default.
    public List<MavenRepository> repositories() {
        return List.copyOf(repositories);
    }

    /// Returns the included source files, absolute.
    public List<Path> sources() {
        return List.copyOf(sources);
    }

    /// Returns the directives that would change the program but that `tutti run` does not apply, in alphabetical
    /// order: names such as `//MAIN`, and `//JAVA` with the version if this JVM is newer than this exact version.
    public List<String> ignored() {
        return List.copyOf(ignored);
    }
}
