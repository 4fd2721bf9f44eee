package org.tutti.launch.program;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.CacheDir;
import org.tutti.launch.UsageException;
import org.tutti.launch.artifact.SourceDirectives;

/// A cache of compiled source files, stored as jars.
///
///     programs/Hello-HASH.jar     the classes, not compressed
///     programs/Hello-HASH.key     main CLASS · uses HASH PATH, for each other source file · names HASH DIRECTORY,
///                                 for each directory in which the compiler has searched for sources · library
///                                 SIZE TIME PATH, for each jar of //DEPS · key · the input of HASH
///
/// The key file is written last and contains the complete key. A lookup compares all bytes of the key, so that
/// correctness does not depend on the hash.
final class SourceCache {
    private SourceCache() {}

    private static final byte[] KEY_LINE = "key\n".getBytes(StandardCharsets.UTF_8);
    private static final int KEEP = 400;

    /// The minimum time that a program remains in the cache after a lookup, even if other programs are
    /// compiled, because ranks and restarts of the job may still load it.
    private static final long USED_MILLIS = Duration.ofHours(24).toMillis();

    /// The parts of a compiled program that the key file describes.
    ///
    /// @param libraries the jars of the libraries that the source files declare
    private record Cached(String mainClass, List<String> libraries) {}

    static Program.OfJava program(ProgramSpec spec, Path source, DeclaredLibraries libraries) {
        return program(spec, source, libraries, CacheDir.open("programs"));
    }

    /// @param cache the directory of compiled programs; null for none
    static Program.OfJava program(ProgramSpec spec, Path source, DeclaredLibraries libraries, @Nullable Path cache) {
        String path = spec.classPath() != null ? spec.classPath() : System.getenv("CLASSPATH");
        String userPath = path == null || path.isEmpty() ? "" : ClassPath.absolute(path);
        List<String> options = javacOptions(spec.jvm());
        try {
            byte[] content = Files.readAllBytes(source);
            SourceDirectives directives = SourceDirectives.of(source, content);
            byte[] key = key(source, content, directives, userPath, options);
            // a program with too many files to check for changes is not cached
            Path directory = cache == null || key == null ? TemporaryDir.make() : cache;
            String name = key == null ? stem(source) : stem(source) + "-" + CacheDir.hash(key);
            Cached cached = key == null ? null : find(directory, name, key);
            if (cached != null) {
                CacheDir.touch(directory.resolve(name + ".jar"));
                CacheDir.touch(directory.resolve(name + ".key"));
            } else {
                requireCompiler(source);
                List<String> jars = libraries.of(directives, source);
                String classPath = path(userPath, jars);
                SourceCompiler.Result result = SourceCompiler.compile(source, directives.sources(), classPath, options);
                cached = new Cached(result.mainClass(), jars);
                byte[] record = key == null ? null : record(result, jars, source, key);
                try {
                    write(directory, name, result.jar(), record);
                } catch (IOException e) {
                    if (!directory.equals(cache)) throw e;
                    directory = TemporaryDir.make(); // the disk of the cache is full
                    write(directory, name, result.jar(), null);
                }
            }
            String classPath = path(userPath, cached.libraries());
            String jar = directory.resolve(name + ".jar").toString();
            return new Program.OfJava(
                    spec,
                    cached.mainClass(),
                    ProgramClasses.onPath(classPath.isEmpty() ? jar : jar + File.pathSeparator + classPath));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read or compile " + source + ": " + e.getMessage(), e);
        }
    }

    /// @param key the content of the key file; null if the program is not cached
    private static void write(Path directory, String name, byte[] jar, byte @Nullable [] key) throws IOException {
        CacheDir.prune(directory, KEEP, USED_MILLIS);
        CacheDir.write(directory.resolve(name + ".jar"), jar);
        if (key != null) CacheDir.write(directory.resolve(name + ".key"), key);
    }

    /// Returns the class path with the libraries at the end, because `-cp` may replace a declared library.
    private static String path(String userPath, List<String> libraries) {
        if (libraries.isEmpty()) return userPath;
        String jars = String.join(File.pathSeparator, libraries);
        return userPath.isEmpty() ? jars : userPath + File.pathSeparator + jars;
    }

    /// Checks that the compiler exists, before the JVM loads a class that depends on the compiler.
    private static void requireCompiler(Path source) {
        if (ModuleLayer.boot().findModule("jdk.compiler").isPresent()) return;
        throw new UsageException("this Java (" + System.getProperty("java.home") + ") has no compiler, so it cannot run"
                + " the source file " + source.getFileName() + "; use a JDK, or compile it and name the class");
    }

    /// Returns the JVM options that also apply to the compiler, as `java File.java` selects them.
    private static List<String> javacOptions(List<String> jvm) {
        List<String> options = new ArrayList<>();
        for (String option : jvm) {
            if (option.equals("--enable-preview")) {
                options.add(option);
                options.add("--release");
                options.add(Integer.toString(Runtime.version().feature()));
            } else if (option.startsWith("--add-modules=") || option.startsWith("--add-exports=")) {
                options.add(option);
            }
        }
        return options;
    }

    private static String stem(Path source) {
        String name = source.getFileName().toString();
        return name.substring(0, name.length() - ".java".length());
    }

    /// Returns all inputs that determine the classes; null if the number of files exceeds the limit.
    private static byte @Nullable [] key(
            Path source, byte[] content, SourceDirectives directives, String userPath, List<String> options) {
        StringBuilder key = new StringBuilder(2048);
        key.append(System.getProperty("java.runtime.version")).append(' ');
        key.append(System.getProperty("java.home")).append('\n');
        for (String jar : Jars.ofRanks().all()) if (!ClassPath.identify(jar, key)) return null;
        if (!userPath.isEmpty() && !ClassPath.identify(userPath, key)) return null;
        for (String option : options) key.append(option).append('\n');
        for (Path included : directives.sources()) key.append(included).append('\n');
        key.append(source).append('\n');
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(key.toString().getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(content);
        return bytes.toByteArray();
    }

    private static byte[] record(SourceCompiler.Result result, List<String> libraries, Path source, byte[] key)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StringBuilder head =
                new StringBuilder("main ").append(result.mainClass()).append('\n');
        for (Path used : result.sources()) {
            if (used.equals(source)) continue;
            head.append("uses ").append(CacheDir.hash(Files.readAllBytes(used)));
            head.append(' ').append(used).append('\n');
        }
        for (Path searched : result.searched()) {
            head.append("names ").append(names(searched)).append(' ').append(searched);
            head.append('\n');
        }
        for (String jar : libraries)
            head.append("library ").append(state(jar)).append(jar).append('\n');
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(KEY_LINE);
        bytes.writeBytes(key);
        return bytes.toByteArray();
    }

    /// Returns the size and the time of a file, which change with the content.
    private static String state(String file) {
        File jar = new File(file);
        return jar.length() + " " + jar.lastModified() + " ";
    }

    /// Returns the program that was compiled from exactly this key; null if it does not exist, or if another
    /// source file, a searched directory or a library of the program has changed.
    private static @Nullable Cached find(Path directory, String name, byte[] key) {
        byte[] found;
        try {
            if (!Files.isRegularFile(directory.resolve(name + ".jar"))) return null;
            found = Files.readAllBytes(directory.resolve(name + ".key"));
            int keyAt = found.length - key.length;
            int headEnd = keyAt - KEY_LINE.length;
            if (headEnd < 0 || !Arrays.equals(found, keyAt, found.length, key, 0, key.length)) return null;
            String mainClass = null;
            List<String> libraries = new ArrayList<>();
            String head = new String(found, 0, headEnd, StandardCharsets.UTF_8);
            for (int at = 0, end; (end = head.indexOf('\n', at)) >= 0; at = end + 1) {
                String line = head.substring(at, end);
                if (line.startsWith("main ")) mainClass = line.substring(5);
                else if (line.startsWith("uses ") && !unchanged(line)) return null;
                else if (line.startsWith("names ") && !hasSameNames(line)) return null;
                else if (line.startsWith("library ")) {
                    String jar = line.substring(line.indexOf(File.separatorChar));
                    if (!line.equals("library " + state(jar) + jar)) return null;
                    libraries.add(jar);
                }
            }
            return mainClass == null ? null : new Cached(mainClass, libraries);
        } catch (IOException e) {
            return null;
        }
    }

    /// Returns a hash of the names of the source files in a directory, because a new source file may replace a
    /// class on the class path.
    private static String names(Path directory) {
        String[] files = directory.toFile().list((in, name) -> name.endsWith(".java"));
        if (files == null) return "none";
        Arrays.sort(files);
        return CacheDir.hash(String.join("\n", files));
    }

    private static boolean hasSameNames(String line) {
        int space = line.indexOf(' ', 6);
        return names(Path.of(line.substring(space + 1))).equals(line.substring(6, space));
    }

    private static boolean unchanged(String line) throws IOException {
        int space = line.indexOf(' ', 5);
        Path used = Path.of(line.substring(space + 1));
        return Files.isRegularFile(used)
                && CacheDir.hash(Files.readAllBytes(used)).equals(line.substring(5, space));
    }
}
