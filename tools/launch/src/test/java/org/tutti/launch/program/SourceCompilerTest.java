package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.UsageException;

class SourceCompilerTest {
    @TempDir
    Path directory;

    private Path source(String name, String text) throws Exception {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static SourceCompiler.Result compile(Path source) throws Exception {
        return SourceCompiler.compile(source, List.of(), "", List.of());
    }

    private static List<String> entries(byte[] jar) throws Exception {
        List<String> names = new ArrayList<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(jar))) {
            for (ZipEntry e; (e = zip.getNextEntry()) != null; ) names.add(e.getName());
        }
        return names;
    }

    @Test
    void compilesACompactSourceFile() throws Exception {
        SourceCompiler.Result result = compile(source("Hello.java", "void main() { IO.println(1); }"));
        assertThat(result.mainClass()).isEqualTo("Hello");
        assertThat(entries(result.jar())).containsExactly("Hello.class");
    }

    @Test
    void compilesSourcesInTheSameDirectory() throws Exception {
        Path main = source("Main.java", "class Main { static void main() { new Other(); } }");
        Path other = source("Other.java", "class Other {}");
        source("Unused.java", "does not compile");
        SourceCompiler.Result result = compile(main);
        assertThat(entries(result.jar())).containsExactly("Main.class", "Other.class");
        assertThat(result.sources()).containsExactlyInAnyOrder(main, other);
    }

    @Test
    void findsSourcesFromTheRootOfThePackages() throws Exception {
        source("a/b/Other.java", "package a.b; public class Other {}");
        source("a/c/Third.java", "package a.c; public class Third {}");
        Path main =
                source("a/b/Main.java", "package a.b; class Main { void main() { new Other(); new a.c.Third(); } }");
        SourceCompiler.Result result = compile(main);
        assertThat(result.mainClass()).isEqualTo("a.b.Main");
        assertThat(entries(result.jar())).containsExactly("a/b/Main.class", "a/b/Other.class", "a/c/Third.class");
    }

    @Test
    void beginsWithTheFirstClassOfTheFile() throws Exception {
        Path file = source("X.java", "class First { public static void main(String[] a) {} } class X {}");
        assertThat(compile(file).mainClass()).isEqualTo("First");
    }

    @Test
    void rejectsAClassWithoutMain() throws Exception {
        Path file = source("X.java", "class X { void run() {} }");
        assertThatThrownBy(() -> compile(file))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("class X has no main method");
    }

    @Test
    void namesThePackageThatIsMissing() throws Exception {
        Path file = source("G.java", "import com.example.a.*; import com.example.b.C; void main() { new C(); }");
        assertThatThrownBy(() -> compile(file))
                .isInstanceOf(UsageException.class)
                .hasMessage("G.java does not compile; see above; package com.example.a is not on the class path: add"
                        + " -cp JAR, or a line //DEPS group:name:version to the source file");
        Path commented = source("D.java", "// DEPS com.example:b:1\nimport com.example.b.C; void main() { new C(); }");
        assertThatThrownBy(() -> compile(commented))
                .hasMessageEndingWith("; package com.example.b is not on the class path: '// DEPS' is a comment; write"
                        + " //DEPS without a space");
        for (String line : List.of("import java.utl.List;", "import org.tutti.mpii.Comm;", "int x = \"text\";")) {
            Path other = source("H.java", line + " void main() {}");
            assertThatThrownBy(() -> compile(other)).hasMessage("H.java does not compile; see above");
        }
    }
}
