package org.tutti.e2e.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;

/// Limits for the number of files in a package and the length of a file, and unique class names.
///
/// The programs of examples/ are not part of the tree: each is separate and has a name for readers. Only the
/// length is limited.
class SourceTreeTest {
    private static final int MOST_FILES = 45;
    private static final int MOST_LINES = 600;

    private static final Pattern CODE = Pattern.compile("\\s*+(?!//|/\\*|\\*)\\S.*");

    /// The minimum number of source files. A smaller number means that a module was not found.
    private static final int FEWEST_SOURCES = 1850;

    /// The minimum number of nested types. A smaller number means that the pattern no longer matches.
    private static final int FEWEST_NESTED = 650;

    private static final Pattern TEXT_BLOCK = Pattern.compile("\"\"\".*?\"\"\"", Pattern.DOTALL);
    private static final Pattern NESTED =
            Pattern.compile("^ +(?:[a-z-]+ )*(?:class|record|enum|interface) ([A-Z]\\w*)", Pattern.MULTILINE);

    /// The package of the user API is an exception, because it contains the public types and the implementation
    /// (docs/decisions/77). The limit applies to the classes that are not public.
    private static final Map<Path, Integer> LARGER =
            Map.of(inRoot("tutti-mpi").resolve("src/main/java/org/tutti/mpi"), 64);

    private static final Pattern MODULE = Pattern.compile("/src/main/java/org/tutti/(\\w+)/");

    /// Modules that are programs, that no rank runs, or that programs do not call.
    private static final Set<String> PROGRAMS =
            new TreeSet<>(List.of("bench", "chart", "conformance", "junit", "lab", "resolve", "site"));

    private static final Path COMPAT_OPENMPI = inRoot("tutti-compat-openmpi"), COMPAT_MPJ = inRoot("tutti-compat-mpj");

    private static Path inRoot(String artifact) {
        return Checkout.ROOT.relativize(Checkout.module(artifact));
    }

    @Test
    void packagesAreSmall() throws IOException {
        List<Path> counted = new ArrayList<>(sources());
        // the classes of a drop-in are in the same packages as in the original
        counted.removeIf(file -> isOfDropIn(file) && isPublic(file));
        counted.removeIf(file -> LARGER.containsKey(file.getParent()) && isPublic(file));
        Map<Path, Long> sizes = counted.stream().collect(Collectors.groupingBy(Path::getParent, Collectors.counting()));
        assertThat(sizes.keySet()).containsAll(LARGER.keySet());
        sizes.entrySet().removeIf(e -> e.getValue() <= LARGER.getOrDefault(e.getKey(), MOST_FILES));
        assertThat(sizes)
                .as("packages of more than %d files; split each by meaning", MOST_FILES)
                .isEmpty();
    }

    /// Returns whether the file's type is public.
    private static boolean isPublic(Path file) {
        try {
            return Files.readAllLines(Checkout.ROOT.resolve(file)).stream().anyMatch(l -> l.startsWith("public "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void filesAreShort() throws IOException {
        List<Path> all = new ArrayList<>(sources());
        all.addAll(javaBelow(Checkout.ROOT.resolve("examples")));
        Map<Path, Long> lengths = new TreeMap<>();
        for (Path file : all) {
            long lines = Files.readAllLines(Checkout.ROOT.resolve(file)).stream()
                    .filter(line -> CODE.matcher(line).matches())
                    .count();
            if (lines > MOST_LINES) lengths.put(file, lines);
        }
        assertThat(lengths)
                .as("files of more than %d lines of code", MOST_LINES)
                .isEmpty();
    }

    @Test
    void classNamesAreUnique() throws IOException {
        Map<String, List<Path>> named = sources().stream()
                .filter(file -> !file.toString().endsWith("-info.java"))
                // the classes of drop-ins have the names of the originals
                .filter(file -> !isOfDropIn(file))
                .collect(Collectors.groupingBy(file -> file.getFileName().toString()));
        named.values().removeIf(files -> files.size() == 1);
        assertThat(named).as("files with the same name").isEmpty();
    }

    /// If a nested type and a top-level type of a module have the same name, readers confuse them, and the nested
    /// type hides the other.
    @Test
    void noNestedTypeHasTheNameOfATopLevelType() throws IOException {
        Map<String, String> clashes = new TreeMap<>();
        int nested = 0;
        for (String module : Checkout.modules()) {
            List<Path> files = new ArrayList<>();
            for (String root : List.of("src/main/java", "src/test/java"))
                files.addAll(javaBelow(Checkout.module(module).resolve(root)));
            files.removeIf(SourceTreeTest::isOfDropIn);
            Map<String, Path> topLevel = files.stream()
                    .filter(file -> !file.endsWith("package-info.java") && !file.endsWith("module-info.java"))
                    .collect(Collectors.toMap(file -> typeName(file), file -> file, (one, two) -> one));
            for (Path file : files) {
                for (String name : nestedTypes(Files.readString(Checkout.ROOT.resolve(file)))) {
                    nested++;
                    if (topLevel.containsKey(name))
                        clashes.put(file + ": " + name, topLevel.get(name).toString());
                }
            }
        }
        assertThat(nested).isGreaterThan(FEWEST_NESTED);
        assertThat(clashes).as("nested types with the name of a top-level type").isEmpty();
    }

    private static List<String> nestedTypes(String source) {
        // programs in text blocks have types, too
        return NESTED.matcher(TEXT_BLOCK.matcher(source).replaceAll("\"\""))
                .results()
                .map(m -> m.group(1))
                .toList();
    }

    private static String typeName(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - ".java".length());
    }

    /// While an operation is pending, a helper thread makes library calls that may block. If such a call uses
    /// memory of a confined arena, it throws in the helper thread, and only there.
    @Test
    void helperThreadsUseSharedArenas() throws IOException {
        List<Path> callers = new ArrayList<>(), confined = new ArrayList<>();
        for (Path file : sources()) {
            String text = Files.readString(Checkout.ROOT.resolve(file));
            if (!text.contains("calls.anywhere(") || file.endsWith("SourceTreeTest.java")) continue;
            callers.add(file);
            if (text.contains("Arena.ofConfined")) confined.add(file);
        }
        assertThat(callers).hasSizeGreaterThanOrEqualTo(3);
        assertThat(confined)
                .as("confined arenas next to calls.anywhere; use Arena.ofShared")
                .isEmpty();
    }

    /// Errors name the line of the program, the first frame outside of Tutti.
    @Test
    void everyModuleThatProgramsCallIsExcludedFromTheProgram() throws IOException {
        String userLine = Files.readString(
                Checkout.module("tutti-job").resolve("src/main/java/org/tutti/job/process/UserLine.java"));
        Set<String> unknown = new TreeSet<>();
        for (Path file : sources()) {
            Matcher name = MODULE.matcher(file.toString());
            if (name.find() && !userLine.contains("\"" + name.group(1) + ".\"")) unknown.add(name.group(1));
        }
        assertThat(unknown).isEqualTo(PROGRAMS);
    }

    private static List<Path> sources() throws IOException {
        List<Path> all = new ArrayList<>();
        for (String module : Checkout.modules())
            all.addAll(javaBelow(Checkout.module(module).resolve("src")));
        assertThat(all).hasSizeGreaterThanOrEqualTo(FEWEST_SOURCES);
        return all;
    }

    /// Returns the Java files. Resources are excluded: the Java files there are templates of projects.
    private static List<Path> javaBelow(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) return List.of(); // a module without sources
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/src/main/resources/"))
                    .map(Checkout.ROOT::relativize)
                    .toList();
        }
    }

    /// Returns whether the file is part of a drop-in, which replaces an API.
    private static boolean isOfDropIn(Path file) {
        return file.startsWith(COMPAT_OPENMPI) || file.startsWith(COMPAT_MPJ);
    }
}
