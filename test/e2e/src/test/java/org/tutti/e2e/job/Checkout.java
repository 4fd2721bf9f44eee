package org.tutti.e2e.job;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Locations in the checkout under test.
public final class Checkout {
    private Checkout() {}

    /// Third-party libraries that Tutti ships.
    private static final List<String> LIBRARIES = List.of("picocli", "jspecify", "jackson-core");

    /// Modules that are not on the class path of a job: these tests, the contracts, and the adapters, which
    /// depend on tensor libraries.
    private static final Set<String> NOT_OF_TUTTI =
            Set.of("tutti-conformance", "tutti-e2e", "tutti-train-torch", "tutti-train-djl");

    /// The root directory of the project.
    public static final Path ROOT =
            Path.of(property("tutti.root")).toAbsolutePath().normalize();

    /// The expected number of modules.
    private static final int MODULES = 30;

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]+)</artifactId>");
    private static final Map<String, Path> FOLDERS = folders();

    /// The directory in which Maven builds these tests: `test/e2e/target`, or a directory below it for a draft
    /// build.
    public static final Path BUILD =
            Path.of(property("tutti.build")).toAbsolutePath().normalize();

    /// The compiled test programs.
    public static final Path PROGRAMS =
            Path.of(property("tutti.programs")).toAbsolutePath().normalize();

    /// The output directory of tests. It is not in /tmp, where a sandbox would hide it.
    public static final Path SCRATCH =
            Path.of(property("tutti.scratch")).toAbsolutePath().normalize();

    /// The class path with the modules of Tutti, as Maven passed it to this JVM, so it never contains an older
    /// build: jars in `./mvnw verify`, otherwise directories of classes.
    public static final List<String> CLASS_PATH = classPath();

    /// The other entries of this JVM's class path, including the adapters and the tensor libraries.
    public static final List<String> EXTRA_CLASS_PATH =
            entries().stream().filter(entry -> !CLASS_PATH.contains(entry)).toList();

    private static String property(String name) {
        String value = System.getProperty(name);
        if (value == null) throw new IllegalStateException("-D" + name + " is missing; the pom of tutti-e2e sets it");
        return value;
    }

    private static List<String> entries() {
        String own = System.getProperty("jdk.module.path", "")
                + File.pathSeparator
                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
        return Stream.of(own.split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .toList();
    }

    private static List<String> classPath() {
        return entries().stream()
                .filter(entry -> LIBRARIES.stream().anyMatch(entry::contains) || isTutti(entry))
                .toList();
    }

    private static boolean isTutti(String entry) {
        return FOLDERS.entrySet().stream()
                .filter(module -> !NOT_OF_TUTTI.contains(module.getKey()))
                .anyMatch(module -> entry.startsWith(module.getValue() + "/"));
    }

    /// Returns the modules in the root pom. Tests of all modules use this list: a list found by a search could
    /// be empty, and the test would pass.
    public static List<String> modules() {
        return List.copyOf(FOLDERS.keySet());
    }

    /// Returns the folder of the module with this artifact id.
    public static Path module(String artifact) {
        Path folder = FOLDERS.get(artifact);
        if (folder == null) throw new IllegalArgumentException(artifact + " is not a module: " + FOLDERS.keySet());
        return folder;
    }

    /// Returns the directory into which Maven compiles the main classes of a module, in the build that runs
    /// these tests.
    public static Path classes(String artifact) {
        return build(artifact).resolve("classes");
    }

    /// Returns the directory in which Maven builds a module, in the build that runs these tests.
    public static Path build(String artifact) {
        return module(artifact).resolve(module("tutti-e2e").relativize(BUILD));
    }

    private static Map<String, Path> folders() {
        Map<String, Path> folders = new TreeMap<>();
        try {
            Matcher modules = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")));
            while (modules.find()) {
                Path folder = ROOT.resolve(modules.group(1));
                if (Files.isDirectory(folder)) folders.put(artifact(folder.resolve("pom.xml")), folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (folders.size() != MODULES)
            throw new IllegalStateException("the root pom has " + folders.size() + " modules, but Checkout expects "
                    + MODULES + ": " + folders.keySet());
        return folders;
    }

    private static String artifact(Path pom) throws IOException {
        String text = Files.readString(pom).replaceFirst("(?s)<parent>.*</parent>", "");
        Matcher artifact = ARTIFACT.matcher(text);
        if (!artifact.find()) throw new IllegalStateException(pom + " has no artifactId");
        return artifact.group(1);
    }

    /// Whether [#CLASS_PATH] consists of jars.
    public static boolean isPackaged() {
        return CLASS_PATH.stream().allMatch(entry -> entry.endsWith(".jar"));
    }

    /// Returns the directory from which `./tutti` runs, after `package`.
    public static Path folderOfCommand() {
        return CLASS_PATH.stream()
                .map(Path::of)
                .filter(jar -> jar.getFileName().toString().startsWith("tutti-cli-"))
                .findFirst()
                .orElseThrow()
                .resolveSibling("");
    }

    public static String classPathText() {
        return String.join(File.pathSeparator, CLASS_PATH);
    }

    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /// Creates a new directory for a test.
    public static Path scratch(String name) {
        try {
            return Files.createTempDirectory(Files.createDirectories(SCRATCH), name + "-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
