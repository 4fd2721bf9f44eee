package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A program is compiled again when any of the inputs has changed.
class SourceCacheTest {
    @TempDir
    Path directory;

    private Path cache;
    private Path program;
    private Path classes;

    /// Determines the libraries of a source file; [#resolved] counts the calls.
    private DeclaredLibraries libraries = DeclaredLibraries.PRESENT;

    private int resolved;

    @BeforeEach
    void write() throws Exception {
        cache = Files.createDirectory(directory.resolve("cache"));
        classes = Files.createDirectories(directory.resolve("lib/classes"));
        program = directory.resolve("Prints.java");
        Files.writeString(
                program,
                "public class Prints { public static int it() { return Lib.X; }"
                        + " public static void main(String[] args) {} }");
    }

    /// Creates a class with a constant, which the compiler copies into the classes that use it.
    private void library(int x) throws Exception {
        Path source =
                Files.writeString(directory.resolve("lib/Lib.java"), "class Lib { static final int X = " + x + "; }");
        int code =
                ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", classes.toString(), source.toString());
        assertThat(code).isZero();
    }

    private void jar(String name) throws IOException {
        try (JarOutputStream jar = new JarOutputStream(
                Files.newOutputStream(directory.resolve("lib").resolve(name)))) {
            jar.putNextEntry(new JarEntry("Lib.class"));
            jar.write(Files.readAllBytes(classes.resolve("Lib.class")));
        }
    }

    /// Returns the result of the program's method `it`, with the classes from the cache.
    private int output(String classPath) throws Exception {
        ProgramSpec spec = new ProgramSpec(1, program.toString(), List.of(), classPath, List.of());
        String path =
                SourceCache.program(spec, program, libraries, cache).classes().classPath();
        URL jar = new File(path.substring(0, path.indexOf(File.pathSeparatorChar)))
                .toURI()
                .toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null)) {
            return (int) loader.loadClass("Prints").getMethod("it").invoke(null);
        }
    }

    private long compiled() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.filter(file -> file.toString().endsWith(".jar")).count();
        }
    }

    @Test
    void aClassThatWasCompiledAgainIsSeen() throws Exception {
        library(1);
        assertThat(output(classes.toString())).isEqualTo(1);
        assertThat(output(classes.toString())).isEqualTo(1);
        assertThat(compiled()).isEqualTo(1);
        library(2); // of the same length
        Files.setLastModifiedTime(classes.resolve("Lib.class"), FileTime.fromMillis(1_000_000_000_000L));
        assertThat(output(classes.toString())).isEqualTo(2);
    }

    @Test
    void aJarThatAStarStandsForIsSeen() throws Exception {
        String all = directory.resolve("lib") + "/*";
        library(1);
        jar("a.jar");
        assertThat(output(all)).isEqualTo(1);
        assertThat(output(all)).isEqualTo(1);
        assertThat(compiled()).isEqualTo(1);
        library(2);
        jar("a.jar");
        Files.setLastModifiedTime(directory.resolve("lib/a.jar"), FileTime.fromMillis(1_000_000_000_000L));
        assertThat(output(all)).isEqualTo(2);
        library(3);
        Files.delete(directory.resolve("lib/a.jar"));
        jar("b.jar");
        assertThat(output(all)).isEqualTo(3);
    }

    /// The directory of the cache cannot be written, as on a full disk.
    @Test
    void aProgramRunsWithoutTheCache() throws Exception {
        library(1);
        Files.delete(cache);
        assertThat(output(classes.toString())).isEqualTo(1);
        assertThat(cache).doesNotExist();
    }

    /// The new source replaces the class on the class path.
    @Test
    void aNewSourceIsSeen() throws Exception {
        library(1);
        assertThat(output(classes.toString())).isEqualTo(1);
        assertThat(output(classes.toString())).isEqualTo(1);
        Files.writeString(directory.resolve("Lib.java"), "class Lib { static final int X = 7; }");
        assertThat(output(classes.toString())).isEqualTo(7);
        Files.delete(directory.resolve("Lib.java"));
        assertThat(output(classes.toString())).isEqualTo(1);
    }

    /// A different launcher compiles further programs before the ranks of this launcher have opened the files.
    @Test
    void aProgramThatIsUsedIsNotPruned() throws Exception {
        library(1);
        output(classes.toString());
        try (Stream<Path> files = Files.list(cache)) {
            for (Path file : files.toList()) Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
        }
        assertThat(output(classes.toString())).isEqualTo(1);
        for (int i = 0; i < 1000; i++) Files.createFile(cache.resolve("Other" + i + ".jar"));
        Files.writeString(program, Files.readString(program) + " ");
        output(classes.toString());
        try (Stream<Path> files = Files.list(cache)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("Prints")))
                    .hasSize(4);
        }
    }

    @Test
    void aDirectoryWithTooManyFilesIsNotIdentified() throws Exception {
        library(1);
        StringBuilder key = new StringBuilder();
        assertThat(ClassPath.identify(classes.toString(), 1, key)).isTrue();
        Files.createFile(classes.resolve("Other.class"));
        assertThat(ClassPath.identify(classes.toString(), 1, key)).isFalse();
    }

    @Test
    void withoutACacheAProgramIsCompiledAllTheSame() throws Exception {
        library(1);
        cache = null;
        assertThat(output(classes.toString())).isEqualTo(1);
    }

    private void declareLibrary() throws Exception {
        library(1);
        jar("a.jar");
        libraries = (directives, source) -> {
            resolved++;
            return List.of(directory.resolve("lib/a.jar").toString());
        };
        Files.writeString(program, "//DEPS com.example:a:1\n" + Files.readString(program));
    }

    private String path() {
        ProgramSpec spec = new ProgramSpec(1, program.toString(), List.of(), null, List.of());
        return SourceCache.program(spec, program, libraries, cache).classes().classPath();
    }

    @Test
    void librariesAreResolvedOnce() throws Exception {
        declareLibrary();
        String first = path();
        assertThat(first).endsWith(File.pathSeparator + directory.resolve("lib/a.jar"));
        assertThat(path()).isEqualTo(first);
        assertThat(resolved).isEqualTo(1);
    }

    @Test
    void librariesAreResolvedAgainWhenAJarChangesOrDisappears() throws Exception {
        declareLibrary();
        path();
        Files.setLastModifiedTime(directory.resolve("lib/a.jar"), FileTime.fromMillis(1_000_000_000_000L));
        path();
        assertThat(resolved).isEqualTo(2);
        path();
        assertThat(resolved).isEqualTo(2);
        Files.delete(directory.resolve("lib/a.jar"));
        Files.copy(classes.resolve("Lib.class"), directory.resolve("Lib.class"));
        libraries = (directives, source) -> List.of(directory.toString());
        assertThat(path()).endsWith(File.pathSeparator + directory);
    }

    /// The file of `//SOURCES` is not named like the class, so that the compiler does not find it without the
    /// directive.
    @Test
    void anIncludedSourceFileIsCompiled() throws Exception {
        Path more = Files.createDirectory(directory.resolve("more"));
        Files.writeString(more.resolve("constants.java"), "class Lib { static final int X = 5; }");
        Files.writeString(program, "//SOURCES more/*.java\n" + Files.readString(program));
        assertThat(output(directory.toString())).isEqualTo(5);
        Files.writeString(more.resolve("constants.java"), "class Lib { static final int X = 6; }");
        assertThat(output(directory.toString())).isEqualTo(6);
    }
}
