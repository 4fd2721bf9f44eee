package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.tutti.launch.UsageException;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class CurrentJvmTest {
    private static final String CLASS_PATH = "java.class.path";

    private final String before = System.getProperty(CLASS_PATH);

    @AfterEach
    void restore() {
        System.setProperty(CLASS_PATH, before);
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
