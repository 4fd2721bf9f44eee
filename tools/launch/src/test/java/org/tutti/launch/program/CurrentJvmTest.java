package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.tutti.launch.UsageException;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class CurrentJvmTest {
    private static final String CLASS_PATH = "java.class.path";

    private static final String MODULE_PATH = "jdk.module.path";

    private final String before = System.getProperty(CLASS_PATH);
    private final @Nullable String modulesBefore = System.getProperty(MODULE_PATH);

    @AfterEach
    void restore() {
        System.setProperty(CLASS_PATH, before);
        if (modulesBefore == null) System.clearProperty(MODULE_PATH);
        else System.setProperty(MODULE_PATH, modulesBefore);
    }

    @Test
    void ranksInheritPropertiesExceptThoseOfThisProcess() {
        List<String> flags = new ArrayList<>();
        CurrentJvm.add("-Dapp.name=demo", flags);
        CurrentJvm.add("-Djdk.module.main=demo", flags);
        CurrentJvm.add("-Dcom.sun.management.jmxremote.port=9010", flags);
        assertThat(flags).containsExactly("-Dapp.name=demo");
    }

    @Test
    void modulesBecomePartOfTheClassPath(@TempDir Path directory) throws Exception {
        Path jar = Files.createFile(directory.resolve("a.jar"));
        Path module = Files.createDirectory(directory.resolve("b"));
        Files.createFile(module.resolve("module-info.class"));
        System.setProperty(CLASS_PATH, "");
        System.setProperty(MODULE_PATH, directory.toString());
        assertThat(CurrentJvm.classPath().split(File.pathSeparator))
                .containsExactlyInAnyOrder(jar.toString(), module.toString());
    }

    @Test
    void aPathThatFitsIntoAnArgumentIsPassedOn() {
        System.setProperty(CLASS_PATH, "/" + "x".repeat(100_000));
        assertThat(CurrentJvm.classes(CurrentJvmTest.class, List.of()).classPath())
                .startsWith("/xxx")
                .hasSizeGreaterThan(100_000);
    }

    @Test
    void aLongerPathIsReported() {
        System.setProperty(CLASS_PATH, "/" + "x".repeat(131_072));
        assertThatThrownBy(() -> CurrentJvm.classes(CurrentJvmTest.class, List.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageMatching(
                        "the class path has 13\\d{4} bytes, and a process can be started with at most 131071;"
                                + " put the entries into a jar whose manifest has a Class-Path, and start the program with this"
                                + " jar");
    }
}
