package org.tutti.device.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DynamicLibraryTest {
    private static final String PROPERTY = "tutti.device.lib.test", NAME = "libtutti-none.so.1";

    @TempDir
    Path base;

    private Path broken(String path) throws Exception {
        Path file = base.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "no library");
    }

    @Test
    void loadsALibraryThatTheLoaderFinds() {
        LibrarySearch search = new LibrarySearch(PROPERTY, List.of(NAME, "libc.so.6"));
        DynamicLibrary found = DynamicLibrary.find(search, null, Map.of());
        assertThat(found.path()).isEqualTo("libc.so.6");
        assertThat(found.symbols().find("getpid")).isPresent();
        assertThat(found.symbols().find("tutti_none")).isEmpty();
        assertThat(found.attempts()).hasSize(2);
        assertThat(found.attempts().getFirst())
                .hasToString(NAME + ": " + NAME + ": cannot open shared object file: No such file or directory");
    }

    @Test
    void locationsAreSearchedInOrderAndListed() throws Exception {
        broken("home/lib64/" + NAME);
        broken("home/lib/" + NAME);
        broken("v-1/lib/" + NAME);
        broken("v-2/lib/" + NAME);
        broken("venv/lib/python3.11/site-packages/maker/lib/" + NAME);
        LibrarySearch search = new LibrarySearch(
                PROPERTY,
                List.of(NAME),
                List.of("TEST_HOME", "TEST_PATH"),
                List.of(base + "/v-*/lib", base + "/nowhere/lib"),
                List.of("maker/lib/" + NAME));
        Map<String, String> environment = Map.of(
                "TEST_HOME",
                base + "/home",
                "TEST_PATH",
                base + "/empty",
                "VIRTUAL_ENV",
                base + "/venv",
                "PATH",
                "/none");
        DynamicLibrary none = DynamicLibrary.find(search, null, environment);
        assertThat(none.symbols()).isNull();
        assertThat(none.attempts())
                .extracting(Attempt::what)
                .containsExactly(
                        NAME,
                        base + "/home/lib64/" + NAME,
                        base + "/home/lib/" + NAME,
                        base + "/empty/lib64",
                        base + "/empty/lib",
                        base + "/v-2/lib/" + NAME,
                        base + "/v-1/lib/" + NAME,
                        base + "/venv/lib/python3.11/site-packages/maker/lib/" + NAME);
        assertThat(none.attempts().get(1).failure()).contains("file too short");
        assertThat(none.attempts().get(3).failure()).isEqualTo("no such directory");
    }

    @Test
    void propertyDisablesTheSearch() throws Exception {
        LibrarySearch search = new LibrarySearch(PROPERTY, List.of("libc.so.6"));
        Path file = broken("mine.so");
        DynamicLibrary none = DynamicLibrary.find(search, file.toString(), Map.of());
        assertThat(none.symbols()).isNull();
        assertThat(none.attempts()).hasSize(1);
        assertThat(none.attempts().getFirst().what()).isEqualTo(PROPERTY + "=" + file);
        assertThat(DynamicLibrary.find(search, "libm.so.6", Map.of()).path()).isEqualTo("libm.so.6");
    }

    @Test
    void newestVersionIsFirst() throws Exception {
        for (String version : List.of("3.9", "3.12", "3.10", "3")) broken("python" + version + "/lib/" + NAME);
        assertThat(DynamicLibrary.matching(base + "/python*/lib"))
                .extracting(path -> path.getParent().getFileName().toString())
                .containsExactly("python3.12", "python3.10", "python3.9", "python3");
    }
}
